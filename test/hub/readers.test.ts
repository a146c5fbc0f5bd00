import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Antenna } from '../../src/contract/antenna.ts';
import type { Reader } from '../../src/contract/reader.ts';
import { checkAxe, type HubPage } from '../support/browser.ts';
import { HubHouse, overflow } from '../support/hub-house.ts';
import { until } from '../support/wait.ts';

const house = new HubHouse({ args: ['--demo'] });
const naughty = '<img src=x onerror=alert(1)> Tor 1 🦉 ‮ropes';
let hub: HubPage;

const readers = () => house.rest.get<Reader[]>('/readers');
const reader = async (serial: string): Promise<Reader> => {
  const found = (await readers()).find((one) => one.serial === serial);
  if (!found) throw new Error(`no reader ${serial}`);
  return found;
};
const reads = async (serial: string) =>
  until(`${serial} to read`, async () => (await reader(serial)).displayStatus === 'Online and Reading');
const open = (page: Page, path: string) => page.goto(`${house.origin}${path}`);

/** Has calls wait on their way until they are released. */
async function held(page: Page, method: string, url: string) {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    if (route.request().method() === method) await released;
    await route.fallback();
  });
  return { asked: page.waitForRequest((request) => request.method() === method), release };
}

beforeAll(async () => {
  await house.start();
  await Promise.all([reads('DEMO-001'), reads('DEMO-002')]);
  hub = await house.open('/readers');
}, 90_000);
afterAll(() => house.dispose());

describe('the wall', () => {
  test('says what each reader does, and a stop and a start are followed to their end', async () => {
    const { page } = hub;
    await page.getByText('2 of 2 reading').waitFor();
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop Virtual reader 1' }).click();
    const card = page.getByRole('listitem').filter({ hasText: 'DEMO-001' });
    await card.getByText('Somebody has stopped it.').waitFor();
    expect((await reader('DEMO-001')).enabled).toBe(false);
    await page.getByRole('button', { name: 'Start Virtual reader 1' }).click();
    await page.getByText('2 of 2 reading').waitFor({ timeout: 30_000 });
    // Its reads may come before its answer to the command.
    await expect
      .poll(async () => (await reader('DEMO-001')).lastCommand, { timeout: 30_000 })
      .toMatchObject({ kind: 'start', state: 'applied' });
    expect(hub.complaints).toEqual([]);
  }, 60_000);
});

describe('a reader', () => {
  test('antennas: what is out of range is not sent; edits are kept, guarded, sent and applied', async () => {
    const { page } = hub;
    const { id } = await reader('DEMO-001');
    await page.getByRole('link', { name: 'Virtual reader 1' }).click();
    await page.getByRole('tab', { name: 'Antennas' }).click();
    await page.waitForURL(`**/readers/${id}/antennas`);
    const power = page.getByRole('group', { name: 'Port 1' }).getByLabel('Power (dBm)');
    await power.fill('35');
    await page.getByText('Must be 10.00 to 33.00 dBm.').waitFor();
    expect(await page.getByRole('button', { name: 'Save and send' }).isDisabled()).toBe(true);
    await power.fill('27.1');
    await page.getByRole('tab', { name: 'Commands' }).click();
    await page.getByRole('cell', { name: 'Antenna settings' }).first().waitFor();
    await page.getByRole('tab', { name: 'Antennas' }).click();
    expect(await power.inputValue()).toBe('27.10');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Leave with unsaved settings?' }).waitFor();
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    // What is edited while it is saved would be lost; whoever goes on meanwhile is not called back.
    const { release } = await held(page, 'PUT', '**/antennas');
    await page.getByRole('button', { name: 'Save and send' }).click();
    await until('the fields to be off', () => power.isDisabled());
    const tab = page.getByRole('tab', { name: 'Antennas' });
    await tab.focus();
    release();
    await until('the fields to be on', () => power.isEnabled());
    expect(await tab.and(page.locator(':focus')).count()).toBe(1);
    await page.getByText('Antenna settings: done').waitFor({ timeout: 30_000 });
    const [first] = await house.rest.get<Antenna[]>(`/readers/${id}/antennas`);
    expect(first).toMatchObject({ transmitPowerCdbm: 2710, zoneName: 'Dock door' });
    // What the reader makes of it is said, once it differs.
    await page.getByText('The reader sends with 27.00 dBm').waitFor();
    expect(hub.complaints).toEqual([]);
  }, 60_000);

  test('health: figures, the clock and the certificate; what cannot be read would be shown', async () => {
    const { page } = hub;
    await page.getByRole('tab', { name: 'Health' }).click();
    await page.getByText('Right to within half a second').waitFor();
    await page.getByText('in 10 years').or(page.getByText('in 9 years')).waitFor();
    await page.getByText('None since the appliance started.').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await checkAxe(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(hub.complaints).toEqual([]);
  }, 60_000);

  test('a name that is typed stays while another is saved, and with its reader', async () => {
    const { page } = hub;
    const [one, two] = [await reader('DEMO-001'), await reader('DEMO-002')];
    await open(page, `/readers/${one.id}`);
    const name = page.getByRole('textbox', { name: 'Name' });
    const { asked, release } = await held(page, 'PATCH', `**/readers/${one.id}`);
    await name.fill('Gate');
    await page.keyboard.press('Enter');
    await asked;
    await name.fill('Gate 2');
    release();
    await page.getByText('Renamed').waitFor();
    expect(await name.inputValue()).toBe('Gate 2');
    // As Back and Forward do, without closing what is open.
    await page.evaluate(`history.pushState(null, '', '/readers/${two.id}')`);
    await page.getByRole('dialog', { name: two.name }).waitFor();
    expect(await name.inputValue()).toBe(two.name);
    expect(hub.complaints).toEqual([]);
  }, 60_000);

  test('a name is shown as the text it is, and the page of a phone has no sideways scroll', async () => {
    const { page } = hub;
    await open(page, `/readers/${(await reader('DEMO-001')).id}`);
    await page.getByRole('textbox', { name: 'Name' }).fill(naughty);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Renamed').waitFor();
    expect((await reader('DEMO-001')).name).toBe(naughty);
    await page.setViewportSize({ width: 360, height: 740 });
    await open(page, '/readers');
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await page.locator('img').count()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(hub.complaints).toEqual([]);
  }, 60_000);

  test('read-only: what would change something says why it does not', async () => {
    const { page } = hub;
    await page.route('**/api/v1/license', async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      await route.fulfill({
        response: answer,
        json: { ...body, license: { ...body.license, readOnly: true } },
      });
    });
    const { id } = await reader('DEMO-002');
    await open(page, `/readers/${id}/antennas`);
    const save = page.getByRole('button', { name: 'Save and send' });
    await save.waitFor();
    await until('saving to be off', async () => (await save.getAttribute('aria-disabled')) === 'true');
    await save.focus();
    await page.getByRole('tooltip').filter({ hasText: 'The licence refuses changes now.' }).waitFor();
    expect(await checkAxe(page)).toEqual([]);
    await page.unroute('**/api/v1/license');
    expect(hub.complaints).toEqual([]);
  }, 60_000);

  test('is released once its serial number was typed', async () => {
    const { page } = hub;
    const { id } = await reader('DEMO-002');
    await open(page, `/readers/${id}`);
    await page.getByRole('button', { name: 'Release this reader' }).click();
    const dialog = page.getByRole('dialog', { name: 'Release this reader' });
    const confirm = dialog.getByRole('button', { name: 'Release this reader' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Type DEMO-002 to confirm').fill('DEMO-002');
    await confirm.click();
    await page.waitForURL('**/readers');
    await page.getByText('1 of 1 reading').waitFor();
    expect((await readers()).map(({ serial }) => serial)).toEqual(['DEMO-001']);
    expect(hub.complaints).toEqual([]);
  }, 60_000);
});
