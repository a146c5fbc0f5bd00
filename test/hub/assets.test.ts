import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReaderInService } from '../support/appliance.ts';
import { checkAxe } from '../support/browser.ts';
import { checkNarrow, HubHouse, phone } from '../support/hub-house.ts';

const NAUGHTY = `<img src=x onerror=alert(1)> مرحبا ${'W'.repeat(120)}`;
const HELD = '3034257BF7194E4000001A85';
const FAR = '3034257BF7194E4000001A86';

const house = new HubHouse();
let reader: ReaderInService;

beforeAll(async () => {
  await house.start();
  const { rest } = house;
  reader = await house.reader('370-10-15-0036', { 1: await house.zone('Dock') });
  await rest.ok('POST', '/assets', { name: NAUGHTY, assetTagNumber: 'N-1', category: '<b>bold</b>' });
  await rest.ok('POST', '/assets', { name: 'Charger', assetTagNumber: 'C-1', epc: FAR });
}, 60_000);
afterAll(() => house.dispose());

test('an asset is added, given out, taken back by undo, and its history tells so', async () => {
  const { page, leave } = await house.open('/assets');
  await page.getByRole('button', { name: 'New asset' }).click();
  const form = page.getByRole('dialog', { name: 'New asset' });
  await form.getByLabel('Number').fill('C-1');
  await form.getByLabel('Name').fill('Pallet jack 7');
  await form.getByRole('button', { name: 'New asset' }).click();
  // Another has this number: nothing that was typed is lost.
  await form.getByRole('alert').waitFor();
  expect(await form.getByLabel('Name').inputValue()).toBe('Pallet jack 7');
  await form.getByLabel('Number').fill('PJ-7');
  await form.getByRole('button', { name: 'New asset' }).click();
  await page.waitForURL('**/assets/*-*');
  const drawer = page.getByRole('dialog', { name: 'Pallet jack 7' });
  await drawer.getByRole('button', { name: 'Check out Pallet jack 7' }).click();
  const out = page.getByRole('dialog', { name: 'Check out Pallet jack 7' });
  await out.getByLabel('Who takes it').fill('R. Ortiz');
  await out.getByRole('button', { name: 'In a week' }).click();
  expect(await out.getByLabel('Back by', { exact: true }).inputValue()).toMatch(/T23:59$/);
  expect(await checkAxe(page)).toEqual([]);
  await out.getByRole('button', { name: 'Check out', exact: true }).click();
  await drawer.getByText('R. Ortiz').first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await drawer.getByRole('listitem').filter({ hasText: 'Checked in' }).waitFor();
  await drawer.getByText('Available').waitFor();
  expect(await checkAxe(page)).toEqual([]);
  await leave(/409/);
}, 60_000);

test('a tag held to an antenna is chosen by itself and linked; one that is taken is moved only when asked', async () => {
  const { page, close } = await house.open('/assets?q=PJ-7');
  await page.getByRole('link', { name: 'Pallet jack 7' }).click();
  const drawer = page.getByRole('dialog', { name: 'Pallet jack 7' });
  await drawer.getByRole('button', { name: 'Link a tag' }).click();
  const link = page.getByRole('dialog', { name: 'Link a tag to Pallet jack 7' });
  await link.getByText('This antenna hears no tag now.').waitFor();
  const publisher = await house.connect(reader);
  const timestamp = new Date().toISOString();
  await publisher.publish({
    payload: JSON.stringify([
      { epc: FAR, antennaPort: 1, rssiCdbm: -6900, timestamp },
      { epc: HELD, antennaPort: 1, rssiCdbm: -4100, timestamp },
    ]),
    qos: 1,
  });
  await link.getByRole('radio', { name: HELD, checked: true }).waitFor();
  expect(await checkAxe(page)).toEqual([]);
  await link.getByRole('button', { name: 'Link …001A85' }).click();
  await drawer.getByRole('link', { name: HELD }).waitFor();
  await drawer.getByText('Dock').first().waitFor();
  await drawer.getByRole('button', { name: 'Replace the tag' }).click();
  await link.getByRole('tab', { name: 'Search' }).click();
  await link.getByRole('searchbox').fill(FAR.toLowerCase());
  await link.getByRole('radio', { name: FAR }).check();
  await link.getByRole('button', { name: 'Link …001A86' }).click();
  await link.getByRole('alert').getByText('Charger').waitFor();
  await link.getByRole('button', { name: 'Move the tag here' }).click();
  await drawer.getByRole('link', { name: FAR }).waitFor();
  await drawer.getByRole('button', { name: 'Take the tag off' }).click();
  await page.getByRole('dialog', { name: 'Take the tag off?' }).getByRole('button', { name: 'Take' }).click();
  await drawer.getByText('No tag is linked').waitFor();
  publisher.socket.destroy();
  await close();
}, 60_000);

test('naughty text is text, on a phone in the dark, and nothing is wider than the page', async () => {
  const { page, leave } = await house.open('/assets', phone);
  await page.getByRole('link', { name: NAUGHTY }).click();
  await page.getByRole('dialog', { name: NAUGHTY }).getByText('<b>bold</b>').waitFor();
  expect(await checkAxe(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await checkNarrow(page)).toEqual([]);
  await leave();
}, 60_000);

test('labels have a barcode of the selected; retiring many asks for their number', async () => {
  const { page, close } = await house.open('/assets');
  await page.getByRole('checkbox', { name: 'Select Charger' }).check();
  await page.getByRole('checkbox', { name: 'Select Pallet jack 7' }).check();
  await page.getByRole('button', { name: 'Print labels' }).click();
  await page.getByRole('img', { name: 'Barcode: PJ-7' }).waitFor();
  expect(await page.getByRole('listitem').count()).toBe(2);
  await page.goBack();
  await page.getByRole('checkbox', { name: 'Select Charger' }).check();
  await page.getByRole('checkbox', { name: 'Select Pallet jack 7' }).check();
  await page.getByRole('button', { name: 'Retire' }).click();
  const ask = page.getByRole('dialog', { name: 'Retire 2 assets?' });
  expect(await ask.getByRole('button', { name: 'Retire 2 assets' }).isDisabled()).toBe(true);
  await ask.getByLabel('Type 2').fill('2');
  await ask.getByRole('button', { name: 'Retire 2 assets' }).click();
  await page.getByText('2 of 2').waitFor();
  await page.getByRole('link', { name: 'Retired' }).click();
  await page.waitForURL('**/assets?view=retired');
  await page.getByRole('link', { name: 'Charger' }).waitFor();
  await close();
}, 60_000);

test('while the licence refuses changes, so do the controls, and say why', async () => {
  const { page, close } = await house.open('/assets');
  await house.admin.ok('PUT', '/license', { token: house.expiredLicence() });
  await page.reload();
  await page.getByText('Read-only').waitFor();
  const button = page.getByRole('button', { name: 'New asset' });
  expect(await button.isDisabled()).toBe(true);
  await button.hover({ force: true });
  await page.getByRole('tooltip').filter({ hasText: 'The licence refuses' }).waitFor();
  await close();
}, 60_000);
