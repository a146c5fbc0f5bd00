import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Organisation } from '../../src/contract/organisation.ts';
import type { Site } from '../../src/contract/site.ts';
import type { Zone } from '../../src/contract/zone.ts';
import { checkAxe, type HubPage } from '../support/browser.ts';
import { HubHouse } from '../support/hub-house.ts';
import { ReaderProcesses } from '../support/reader-processes.ts';

const house = new HubHouse();
const naughty = '<b>Müller & Söhne</b> 🦉';
const password = 'staple correct horse';
let hub: HubPage;
let reader: ReaderProcesses | undefined;

const at = (page: Page, step: string) => page.waitForURL(`**/setup/${step}**`);
/** Answers JSON of the appliance, as the one who is logged in. */
const ask = async <T>(page: Page, path: string): Promise<T> =>
  (await page.request.get(`${house.origin}/api/v1${path}`)).json();

beforeAll(async () => {
  await house.startUntouched();
  hub = await house.open('/', { user: null });
}, 60_000);
afterAll(async () => {
  await reader?.end();
  await house.dispose();
});

describe('the first run', () => {
  test('begins with a password of one’s own', async () => {
    const { page } = hub;
    await page.getByLabel('E-mail').fill('admin@tagkeep.local');
    await page.getByRole('textbox', { name: 'Password' }).fill(await house.firstPassword());
    await page.keyboard.press('Enter');
    await at(page, 'password');
    await page.getByLabel('The password that was printed').fill('not the one');
    await page.getByLabel('New password', { exact: true }).fill(password);
    await page.getByLabel('New password again').fill('something else');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('The two are not the same.').waitFor();
    await page.getByLabel('New password again').fill(password);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('alert').filter({ hasText: 'currentPassword is wrong' }).waitFor();
    expect(await checkAxe(page)).toEqual([]);
    // What was typed is still there.
    await page.getByLabel('The password that was printed').fill(await house.firstPassword());
    await page.getByRole('button', { name: 'Set the password' }).click();
    await at(page, 'place');
    await page.getByRole('link', { name: 'Your password (done)' }).waitFor();
  }, 60_000);

  test('names organisation and site, in the zone of the browser', async () => {
    const { page } = hub;
    await page.getByLabel('Organisation', { exact: true }).fill(naughty);
    await page.getByLabel('Site', { exact: true }).fill('Hamburg');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Berl');
    await page.getByRole('option', { name: 'Europe/Berlin' }).click();
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save and go on' }).click();
    await at(page, 'zones');
    expect((await ask<Organisation>(page, '/organisation')).name).toBe(naughty);
    expect(await ask<Site[]>(page, '/sites')).toMatchObject([{ name: 'Hamburg', timeZone: 'Europe/Berlin' }]);
  }, 60_000);

  test('makes zones from a template that can be changed', async () => {
    const { page } = hub;
    await page.getByRole('textbox', { name: 'Dock doors' }).fill('1');
    await page.getByRole('button', { name: 'Propose zones' }).click();
    await page.getByRole('textbox', { name: 'Name of zone 1' }).fill('North gate');
    await page.getByRole('button', { name: 'Remove Shelf 2' }).click();
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Make 3 zones' }).click();
    await at(page, 'reader');
    const zones = await ask<Zone[]>(page, '/zones');
    expect(zones.map(({ name, kind }) => `${name}: ${kind}`).toSorted()).toEqual([
      'North gate: portal',
      'Shelf 1: storage',
      'Staging: staging',
    ]);
  }, 60_000);

  test('gives a reader its identity, as an archive with the modes that secrets have', async () => {
    const { page } = hub;
    await page.getByLabel('Serial number').fill('370 21');
    await page.getByText('Letters, digits, dots').waitFor();
    await page.getByLabel('Serial number').fill('370-21-09-0042');
    await page.getByLabel('Name', { exact: true }).fill('Dock door 1');
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Make its identity' }).click();
    await page.getByRole('heading', { name: 'Identity files of Dock door 1' }).waitFor();
    expect(await checkAxe(page)).toEqual([]);
    // Without the files it asks before.
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download all (.tar)' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('370-21-09-0042.tar');
    const dir = join(house.appliance.root, 'identity');
    mkdirSync(dir);
    const archive = join(house.appliance.root, 'identity.tar');
    await download.saveAs(archive);
    execFileSync('tar', ['-xpf', archive, '-C', dir]);
    const modes = readdirSync(dir).map(
      (name) => `${name} ${(statSync(join(dir, name)).mode & 0o777).toString(8)}`,
    );
    expect(modes.toSorted()).toEqual(['ca.crt 644', 'client.crt 644', 'client.key 600', 'svc.json 600']);
    await page.getByRole('button', { name: 'Next' }).click();
    await at(page, 'ports');
    reader = await ReaderProcesses.start({ dir, url: house.endpoints.mqtts, env: house.appliance.env });
  }, 60_000);

  test('maps its ports, and turns green once a tag is read', async () => {
    const { page } = hub;
    await page.getByRole('group', { name: 'Port 1' }).getByRole('combobox', { name: 'Zone' }).click();
    await page.getByRole('option', { name: 'North gate' }).click();
    await page.getByRole('button', { name: 'Save and send' }).click();
    await at(page, 'check');
    await page.getByText('Everything works. Reads are coming in.').waitFor({ timeout: 45_000 });
    await page.getByRole('listitem').filter({ hasText: 'A tag in a zone' }).getByText('North gate').waitFor();
    expect(await checkAxe(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await checkAxe(page)).toEqual([]);
    // The refusal of the wrong password is the console's to tell.
    expect(hub.complaints.filter((one) => !one.includes('status of 400'))).toEqual([]);
  }, 90_000);

  test('is not offered again, and is where it was left when it is gone back to', async () => {
    const { page } = hub;
    await page.goto(house.origin);
    await page.waitForURL('**/now');
    await page.goto(`${house.origin}/setup`);
    await at(page, 'check');
  }, 30_000);
});
