import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAxe } from '../support/browser.ts';
import { checkNarrow, HubHouse, phone } from '../support/hub-house.ts';
import type { Publisher } from '../support/publisher.ts';

const jack = 'E28011000000000000000007';
const pump = 'E28011000000000000000008';
const valve = 'E28011000000000000000009';
const naughty = `<b onclick="x()">Valve</b> שלום ${'very long '.repeat(200)}`;
const house = new HubHouse({ role: 'operator', env: { TAGKEEP_LOCATION__POLICY: 'immediate' } });
let publisher: Publisher;

const read = (port: number, epc: string) =>
  publisher.publish({
    payload: JSON.stringify([
      { epc, antennaPort: port, rssiCdbm: -5000, timestamp: new Date().toISOString() },
    ]),
  });
const field = (page: Page) => page.getByRole('combobox', { name: 'Find a tag or an asset' });
const place = (page: Page, words: string) =>
  page.locator('[data-place]').filter({ hasText: words }).waitFor();

beforeAll(async () => {
  await house.start();
  const { rest } = house;
  const zones = { 1: await house.zone('Dock'), 2: await house.zone('Shelf A') };
  publisher = await house.connect(await house.reader('370-21-09-0042', zones));
  for (const epc of [jack, pump, valve]) await read(1, epc);
  await rest.ok('POST', '/assets', { name: 'Pallet jack 7', assetTagNumber: 'PJ-0007', epc: jack });
  await rest.ok('POST', '/assets', { name: 'Pallet jack 8', assetTagNumber: 'PJ-0008' });
  await rest.ok('POST', '/fields', { label: 'Name' });
  await rest.ok('PATCH', '/fields/name', { isLabel: true });
  await rest.ok('PUT', `/tags/${pump}/data`, { name: 'Pump 40-160' });
  await rest.ok('PUT', `/tags/${valve}/data`, { name: naughty });
}, 60_000);
afterAll(async () => {
  await publisher?.close();
  await house.dispose();
});

describe('finding', () => {
  test('a scanned asset number is answered at once: where it is, since when, how sure, and the way on', async () => {
    const { page, leave } = await house.open('/now');
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
    await page.getByRole('link', { name: 'Find', exact: true }).click();
    await field(page).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('PJ-0007\n');
    await place(page, 'Dock');
    await page.getByText('By its latest read').waitFor();
    expect(await page.getByRole('link', { name: 'Show on floor' }).getAttribute('href')).toBe(
      `/floor?epc=${jack}`,
    );
    await page.getByRole('region', { name: 'Where it was' }).getByText('Dock').waitFor();
    expect(await checkAxe(page)).toEqual([]);
    // The next scan takes the place of this one.
    await page.keyboard.type(`${pump.slice(0, 12)} ${pump.slice(12)}\n`);
    await page.getByRole('heading', { name: 'Pump 40-160' }).waitFor();
    await leave();
  }, 60_000);

  test('an answer follows its tag as it moves', async () => {
    const { page, leave } = await house.open('/find?q=pump');
    await place(page, 'Dock');
    await page
      .getByRole('status')
      .filter({ hasText: /^live$/ })
      .waitFor();
    await read(2, pump);
    await place(page, 'Shelf A');
    const trail = page.getByRole('region', { name: 'Where it was' });
    await trail
      .getByRole('listitem')
      .filter({ hasText: 'Shelf A' })
      .filter({ hasText: 'still there' })
      .waitFor();
    await trail.getByRole('listitem').filter({ hasText: 'Dock' }).waitFor();
    await leave();
  }, 60_000);

  test('several are gone through with the arrows and opened with Enter, and what is open is in the address', async () => {
    const { page, leave } = await house.open('/find', phone);
    await field(page).pressSequentially('pallet');
    await page.getByRole('option').nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const second = page.getByRole('option', { selected: true });
    await second.filter({ hasText: 'PJ-0008' }).waitFor();
    expect(await checkAxe(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/find?q=pallet&open=asset*');
    // It has no tag, which is said, not a place made up.
    await page.getByText('No tag is linked to this asset').waitFor();
    await page.getByRole('option').filter({ hasText: 'PJ-0007' }).click();
    await place(page, 'Dock');
    await page.reload();
    await place(page, 'Dock');
    expect(await checkNarrow(page)).toEqual([]);
    await leave();
  }, 60_000);

  test('markup is text, long names are cut and can be read whole, and nothing found says what to try', async () => {
    const { page, leave } = await house.open(`/find?q=${valve}`);
    const heading = page.getByRole('heading', { level: 2 }).filter({ hasText: '<b onclick' });
    await heading.waitFor();
    expect((await heading.textContent())?.length).toBeLessThan(300);
    await page.getByRole('button', { name: 'Show the whole name' }).click();
    expect((await heading.textContent())?.length).toBeGreaterThan(2000);
    await field(page).fill('<script>');
    await page.getByText('Nothing is found for “<script>”.').waitFor();
    expect(await checkAxe(page)).toEqual([]);
    await leave();
  }, 60_000);
});
