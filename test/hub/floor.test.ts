import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Floor } from '../../src/contract/floor.ts';
import type { InventorySummaryEntry } from '../../src/contract/inventory.ts';
import type { Zone } from '../../src/contract/zone.ts';
import { sessionCookie } from '../../src/http/access.ts';
import { checkAxe, type Login } from '../support/browser.ts';
import { checkNarrow, HubHouse, phone } from '../support/hub-house.ts';
import { until } from '../support/wait.ts';

const house = new HubHouse({ args: ['--demo'] });
const naughty = '<img src=x onerror=alert(1)> \u202Eabc 🏭';

beforeAll(() => house.start(), 90_000);
afterAll(() => house.dispose());

const plan = (inside: string) => ({
  name: 'plan.svg',
  mimeType: 'image/svg+xml',
  buffer: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9">${inside}</svg>`),
});

describe('the floor', () => {
  test('without a plan zones stand side by side; names are text; a chosen tag lights up its zone', async () => {
    const { page, leave } = await house.open('/floor');
    await page.getByText('No floor plan has been uploaded').waitFor();
    const [zone] = await house.rest.get<Zone[]>('/zones');
    await house.rest.ok('PATCH', `/zones/${zone?.id}`, { name: naughty });
    const counts = () => house.rest.get<InventorySummaryEntry[]>('/inventory/summary');
    const isThere = ({ zoneId, total }: InventorySummaryEntry) => zoneId === zone?.id && total > 1;
    await until('tags in the zone', async () => (await counts()).some(isThere), 30_000);
    await page.reload();
    const row = page.getByRole('button', { name: /onerror/ });
    await row.getByText(/[1-9]\d* tags/).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    await row.click();
    await page.getByRole('dialog').getByRole('listitem').getByRole('button').first().click();
    await page.locator('polygon[data-lit]').waitFor();
    expect(new URL(page.url()).searchParams.get('epc')).toMatch(/^[0-9A-F]+$/);
    await page.getByRole('button', { name: 'Play a day back' }).click();
    const time = page.getByRole('slider', { name: 'Time of day' });
    await time.waitFor();
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    // Played to its end, it stops there.
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    expect(await time.inputValue()).toBe(await time.getAttribute('max'));
    // It may have been read a while ago: then it was there last.
    const lit = await page.locator('polygon[data-lit]').getAttribute('data-lit');
    expect(await time.getAttribute('aria-valuetext')).toMatch(lit === 'true' ? /\d: in / : /\d: last in /);
    expect(await checkAxe(page)).toEqual([]);
    await leave();
  }, 90_000);

  test('a plan is uploaded, or refused in words; zones are drawn by pointer and keys, and kept on the way', async () => {
    const { page, leave } = await house.open('/floor');
    const file = page.locator('input[type=file]');
    await file.setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('no') });
    await page.getByRole('alert').getByText('neither PNG nor SVG').waitFor();
    await file.setInputFiles(plan('<script>alert(1)</script><rect width="9" height="4"/>'));
    await page.getByText('1 piece that is not needed').waitFor();
    await page.getByRole('button', { name: 'Draw zones' }).click();
    await page.getByRole('button', { name: 'Draw Shelf A' }).click();
    const area = page.getByRole('button', { name: /^Area Shelf A/ });
    const box = await area.locator('polygon').boundingBox();
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 3];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 80, y - 60, { steps: 4 });
    await page.mouse.up();
    const corner = page.getByRole('button', { name: /^Corner 1 of Shelf A/ });
    const before = await corner.getAttribute('aria-label');
    await corner.focus();
    await page.keyboard.press('Shift+ArrowRight');
    expect(await corner.getAttribute('aria-label')).not.toBe(before);
    await page.keyboard.press('Control+z');
    expect(await corner.getAttribute('aria-label')).toBe(before);
    await page.keyboard.press('+');
    await page.getByRole('button', { name: 'Area Shelf A, 5 corners' }).waitFor();
    await page.getByRole('button', { name: 'Place Virtual reader 2, port 1' }).click();
    expect(await checkAxe(page)).toEqual([]);
    // What was drawn is still there after another page.
    await page.getByRole('link', { name: 'Alerts' }).click();
    await page.getByRole('link', { name: 'Floor' }).click();
    await page.getByRole('button', { name: 'Go on drawing' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The drawing is saved').waitFor();
    const [site] = await house.rest.get<{ id: string }[]>('/sites');
    const floor = await house.rest.get<Floor>(`/sites/${site?.id}/floor`);
    expect([floor.zones[0]?.points.length, floor.zones.length, floor.antennas.length]).toEqual([5, 1, 1]);
    await leave();
  }, 90_000);

  test('what one has begun to draw outlasts the end of a session, but is not offered to another', async () => {
    const other = await house.addUser('hands@example.org', 'operator');
    const { page, context, leave } = await house.open('/floor?edit=1');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const logIn = async ({ email, password }: Login) => {
      await page.getByLabel('E-mail').fill(email);
      await page.getByRole('textbox', { name: 'Password' }).fill(password);
      await page.keyboard.press('Enter');
      await page.getByLabel('E-mail').waitFor({ state: 'detached' });
    };
    const logInAgain = async (login: Login) => {
      await context.clearCookies({ name: sessionCookie });
      await page.getByRole('dialog', { name: 'Log in' }).waitFor({ timeout: 30_000 });
      await logIn(login);
    };
    const area = page.getByRole('button', { name: /^Area Shelf B/ });
    await button('Draw Shelf B').click();
    await logInAgain(house.user);
    await area.waitFor();
    await logInAgain(other);
    await button('Draw Shelf B').click();
    await area.waitFor();
    await page.getByRole('link', { name: 'Alerts' }).click();
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
    await button('Account').click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await logIn(house.user);
    await page.getByRole('link', { name: 'Floor' }).click();
    await button('Draw zones').waitFor();
    expect(await button('Go on drawing').count()).toBe(0);
    await leave(/401/);
  }, 90_000);

  test('on a phone in the dark nothing is beyond the edge, and axe finds nothing', async () => {
    const { page, leave } = await house.open('/floor', phone);
    await page.locator('[data-zone]').first().waitFor();
    expect(await checkNarrow(page)).toEqual([]);
    await page.goto(`${house.origin}/floor?edit=1`);
    await page.getByRole('heading', { level: 1, name: 'Drawing' }).waitFor();
    expect(await checkNarrow(page)).toEqual([]);
    await leave();
  }, 60_000);
});
