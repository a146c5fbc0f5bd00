import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sessionCookie } from '../../src/http/access.ts';
import { checkAxe } from '../support/browser.ts';
import { HubHouse } from '../support/hub-house.ts';

const house = new HubHouse();
const { user } = house;
// Here a hub is used as most people see it.
const moving = { reducedMotion: 'no-preference' } as const;

beforeAll(() => house.start(), 60_000);
afterAll(() => house.dispose());

describe('login', () => {
  test('a wrong password is said in words, and what was typed stays; the right one leads in', async () => {
    const { page, leave } = await house.open('/alerts', { user: null });
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByRole('textbox', { name: 'Password' }).fill('not the one');
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(user.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(user.password);
    await page.keyboard.press('Enter');
    // Where somebody wanted to go is where they are led.
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^live$/ })
      .waitFor();
    // The console tells of the refusal by itself.
    await leave(/401/);
  }, 60_000);

  test('a session that ends is begun again over the page, which keeps what was typed', async () => {
    const { page, context, leave } = await house.open('/alerts', moving);
    await page.clock.install();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
    await page.getByRole('searchbox', { name: 'Find anything' }).first().fill('half a word');
    await context.clearCookies({ name: sessionCookie });
    // Past the next time at which the page asks for anything.
    await page.clock.fastForward(60_000);
    const again = page.getByRole('dialog', { name: 'Log in' });
    await again.waitFor({ timeout: 30_000 });
    expect(await checkAxe(page)).toEqual([]);
    // Who comes back to the page has it ask who they are.
    const refused = page.waitForResponse('**/auth/me');
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    expect((await refused).status()).toBe(401);
    await again.getByLabel('E-mail').fill(user.email);
    await again.getByRole('textbox', { name: 'Password' }).fill(user.password);
    await page.keyboard.press('Enter');
    await again.waitFor({ state: 'hidden' });
    expect(await page.getByRole('searchbox', { name: 'Find anything' }).first().inputValue()).toBe(
      'half a word',
    );
    await leave(/401/);
  }, 60_000);

  test('a session that ends is begun again over a drawer too, which stays', async () => {
    await house.reader('370-21-09-0042');
    const { page, context, leave } = await house.open('/now');
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
    await page.getByRole('link', { name: 'Readers' }).first().click();
    await page.getByRole('link', { name: 'Reader 370-21-09-0042' }).click();
    const drawer = page.getByRole('dialog', { name: 'Reader 370-21-09-0042' });
    await drawer.waitFor();
    await context.clearCookies({ name: sessionCookie });
    const again = page.getByRole('dialog', { name: 'Log in' });
    await again.waitFor();
    // With the focus nowhere in particular.
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Escape');
    // What lies beneath something cannot be clicked on.
    await again.getByLabel('E-mail').click();
    await page.keyboard.type(user.email);
    await again.getByRole('textbox', { name: 'Password' }).fill(user.password);
    await page.keyboard.press('Enter');
    await again.waitFor({ state: 'hidden' });
    expect(await drawer.isVisible()).toBe(true);
    await leave(/401/);
  }, 60_000);
});

describe('the frame', () => {
  test('stands without the parts that do not come, and asks for them until they do', async () => {
    const { page, context, leave } = await house.open('/healthz');
    const refused: string[] = [];
    let isGone = true;
    await page.route(/assets\/(notices|account-menu|login)-/, (route) => {
      if (!isGone) return route.continue();
      refused.push(/assets\/([a-z-]+)-/.exec(route.request().url())?.[1] ?? '');
      return route.abort();
    });
    await page.goto(`${house.origin}/alerts`);
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
    await expect.poll(() => [...new Set(refused)].sort()).toEqual(['account-menu', 'login', 'notices']);
    await page.getByRole('button', { name: 'Account' }).click();
    isGone = false;
    await page.getByRole('menuitem', { name: 'Log out' }).waitFor();
    await context.clearCookies({ name: sessionCookie });
    await page.clock.setFixedTime(Date.now() + 120_000);
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await page.getByRole('dialog', { name: 'Log in' }).waitFor();
    await leave(/ERR_FAILED|dynamically imported|401/);
  }, 60_000);

  test('goes by keyboard, in another language, in the dark, and says so at an address that is none', async () => {
    const { page, close } = await house.open('/no-such-page', { ...moving, colorScheme: 'dark' });
    await page.getByText('404').or(page.getByText('nothing at this address')).first().waitFor();
    await page.goto(`${house.origin}/alerts`);
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('/');
    await page.keyboard.type('PJ-0007');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/find?q=PJ-0007');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { level: 1, name: 'Finden' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Konto' }).click();
    await page.getByRole('menuitem', { name: 'Abmelden' }).click();
    await page.getByRole('heading', { name: 'Bei Tagkeep anmelden' }).waitFor();
    await close();
  }, 60_000);
});
