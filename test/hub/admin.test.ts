import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAxe } from '../support/browser.ts';
import { HubHouse } from '../support/hub-house.ts';

const house = new HubHouse();

beforeAll(() => house.start(), 60_000);
afterAll(() => house.dispose());

/** What a secret that is shown once says. */
const secretOf = async (page: Page): Promise<string> =>
  (await page.getByRole('dialog').locator('pre').textContent()) ?? '';

describe('the administration', () => {
  test('adds a user with a password shown once, changes the role, and deletes', async () => {
    const { page, leave } = await house.open('/admin/users');
    await page.getByRole('button', { name: 'Add a user' }).click();
    await page.getByLabel('E-mail').fill('grace@example.org');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a user' }).click();
    await page.getByText('Shown this once').waitFor();
    expect((await secretOf(page)).length).toBeGreaterThanOrEqual(10);
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: 'grace@example.org' }).click();
    await page.getByRole('radio', { name: 'Administrator' }).check();
    await page.getByRole('button', { name: 'Save the role' }).click();
    await page.getByText('The role was changed').waitFor();
    await page.getByRole('button', { name: 'Delete this user' }).click();
    await page.getByRole('dialog', { name: 'Delete this user' }).getByRole('button').last().click();
    await page.getByText('The user was deleted.').waitFor();
    await page.getByRole('link', { name: 'grace@example.org' }).waitFor({ state: 'detached' });
    await leave();
  }, 60_000);

  test('Escape closes what is asked over a drawer, and only then the drawer', async () => {
    const { email } = await house.addUser('mary@example.org', 'operator');
    const { page, leave } = await house.open('/admin/users');
    await page.getByRole('link', { name: email }).click();
    await page.getByRole('button', { name: 'Delete this user' }).click();
    const question = page.getByRole('dialog', { name: 'Delete this user' });
    const drawer = page.getByRole('dialog', { name: email });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await drawer.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page.waitForURL('**/admin/users');
    await leave();
  }, 60_000);

  test('makes a key that works, shows it once, and revokes it', async () => {
    const { page, close } = await house.open('/admin/keys/new');
    const name = 'ERP <b>&amp;</b>';
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click();
    await page.getByText('Shown this once').waitFor();
    const headers = { Authorization: `Bearer ${await secretOf(page)}` };
    const status = async () => (await fetch(`${house.origin}/api/v1/zones`, { headers })).status;
    expect(await status()).toBe(200);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText(name, { exact: true }).waitFor();
    await page.getByRole('button', { name: `Revoke ${name}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The key was revoked.').waitFor();
    expect(await status()).toBe(401);
    await close();
  }, 60_000);

  test('keeps what was typed of a webhook that is refused, and says what came of a test', async () => {
    const { page, close } = await house.open('/admin/webhooks/new');
    const address = page.getByLabel('Address of the program');
    await address.fill('https://user:secret@example.org/hook');
    await page.getByRole('dialog').getByRole('button', { name: 'Tell somebody' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await address.inputValue()).toBe('https://user:secret@example.org/hook');
    await address.fill(`${house.origin}/nowhere`);
    await page.getByRole('dialog').getByRole('button', { name: 'Tell somebody' }).click();
    await page.getByText('Shown this once').waitFor();
    expect(await secretOf(page)).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('It did not arrive.').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(await checkAxe(page)).toEqual([]);
    await close();
  }, 60_000);

  test('tells who did what, narrowed by the address', async () => {
    const { page, leave } = await house.open('/admin/audit?resource=api-keys');
    const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
    await rows.nth(2).waitFor();
    expect(await rows.nth(1).textContent()).toContain('revoke');
    expect(await rows.nth(2).textContent()).toContain('name: ERP <b>&amp;</b>');
    expect(await checkAxe(page)).toEqual([]);
    await leave();
  }, 60_000);

  test('shows what the appliance tells of itself, in the dark', async () => {
    const { page, leave } = await house.open('/admin/health', { colorScheme: 'dark' });
    const parts = page.getByRole('navigation', { name: 'Parts of the administration' });
    for (const [part, said] of [
      ['Health', 'Takes reads and changes'],
      ['Settings', 'How long things are kept'],
      ['Backups', 'No backups are made'],
    ] as const) {
      await parts.getByRole('link', { name: part }).click();
      await page.getByText(said).waitFor();
      expect(await checkAxe(page), part).toEqual([]);
    }
    await leave();
  }, 60_000);

  test('is not for operators, who are told why and can change their own password', async () => {
    const operator = await house.addUser('op@example.org', 'operator');
    const { page, leave } = await house.open('/admin/users', { user: operator });
    await page.getByText('For administrators').waitFor();
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Current password' }).fill(operator.password);
    await page.getByRole('textbox', { name: 'New password' }).fill('staple correct horse');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Your password was changed.').waitFor();
    await leave();
  }, 60_000);
});
