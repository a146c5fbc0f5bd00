import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Appliance, type Endpoints, Rest, readerInService } from '../support/appliance.ts';
import { checkAxe, openBrowser, openHub } from '../support/browser.ts';
import { Publisher } from '../support/publisher.ts';

const jack = 'E28011000000000000000007';
const pump = 'E28011000000000000000008';
const valve = 'E28011000000000000000009';
const naughty = `<b onclick="x()">Valve</b> שלום ${'very long '.repeat(200)}`;
const appliance = new Appliance({ env: { TAGKEEP_LOCATION__POLICY: 'immediate' } });
const user = { email: 'lead@example.org', password: '' };
let endpoints: Endpoints;
let rest: Rest;
let browser: Browser;
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
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
  user.password = (
    await appliance.cliJson<{ password: string }>('user', 'add', user.email, '--role', 'operator')
  ).password;
  const zone = async (name: string) => (await rest.ok<{ id: string }>('POST', '/zones', { name })).id;
  const zones = { 1: await zone('Dock'), 2: await zone('Shelf A') };
  const reader = await readerInService(appliance, rest, { serial: '370-21-09-0042', zones });
  publisher = await Publisher.connect({ url: endpoints.mqtts, serial: reader.serial, identity: reader.dir });
  for (const epc of [jack, pump, valve]) await read(1, epc);
  await rest.ok('POST', '/assets', { name: 'Pallet jack 7', assetTagNumber: 'PJ-0007', epc: jack });
  await rest.ok('POST', '/assets', { name: 'Pallet jack 8', assetTagNumber: 'PJ-0008' });
  await rest.ok('POST', '/fields', { label: 'Name' });
  await rest.ok('PATCH', '/fields/name', { isLabel: true });
  await rest.ok('PUT', `/tags/${pump}/data`, { name: 'Pump 40-160' });
  await rest.ok('PUT', `/tags/${valve}/data`, { name: naughty });
  browser = await openBrowser();
}, 60_000);
afterAll(async () => {
  await publisher?.close();
  await browser?.close();
  await appliance.dispose();
});

describe('finding', () => {
  test('a scanned asset number is answered at once: where it is, since when, how sure, and the way on', async () => {
    const hub = await openHub(browser, endpoints.http, { user, path: '/now' });
    const { page } = hub;
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
    expect(hub.complaints).toEqual([]);
    await hub.close();
  }, 60_000);

  test('an answer follows its tag as it moves', async () => {
    const { page, complaints, close } = await openHub(browser, endpoints.http, {
      user,
      path: '/find?q=pump',
    });
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
    expect(complaints).toEqual([]);
    await close();
  }, 60_000);

  test('several are gone through with the arrows and opened with Enter, and what is open is in the address', async () => {
    const look = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;
    const hub = await openHub(browser, endpoints.http, { user, path: '/find', ...look });
    const { page } = hub;
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
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await checkAxe(page)).toEqual([]);
    expect(hub.complaints).toEqual([]);
    await hub.close();
  }, 60_000);

  test('markup is text, long names are cut and can be read whole, and nothing found says what to try', async () => {
    const { page, complaints, close } = await openHub(browser, endpoints.http, {
      user,
      path: `/find?q=${valve}`,
    });
    const heading = page.getByRole('heading', { level: 2 }).filter({ hasText: '<b onclick' });
    await heading.waitFor();
    expect((await heading.textContent())?.length).toBeLessThan(300);
    await page.getByRole('button', { name: 'Show the whole name' }).click();
    expect((await heading.textContent())?.length).toBeGreaterThan(2000);
    await field(page).fill('<script>');
    await page.getByText('Nothing is found for “<script>”.').waitFor();
    expect(await checkAxe(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  }, 60_000);
});
