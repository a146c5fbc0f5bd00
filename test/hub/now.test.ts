import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  Appliance,
  type Endpoints,
  type ReaderInService,
  Rest,
  readerInService,
} from '../support/appliance.ts';
import { checkAxe, openBrowser, openHub } from '../support/browser.ts';
import { Publisher } from '../support/publisher.ts';

const naughty = '<img src=x onerror="window.ran=true"> שלום \u{1F469}\u200D\u{1F680}';
const epcs = ['E28011000000000000000001', 'E28011000000000000000002', 'E28011000000000000000003'];
const appliance = new Appliance();
const user = { email: 'lead@example.org', password: '' };
let endpoints: Endpoints;
let rest: Rest;
let browser: Browser;
let reader: ReaderInService;
let publisher: Publisher;
let dockId = '';

const zone = async (name: string, kind: string) =>
  (await rest.ok<{ id: string }>('POST', '/zones', { name, kind })).id;
const read = (port: number, tags: readonly string[]) =>
  publisher.publish({
    payload: JSON.stringify(
      tags.map((epc) => ({ epc, antennaPort: port, rssiCdbm: -5000, timestamp: new Date().toISOString() })),
    ),
  });
const countOf = (page: Page, name: string, count: number) =>
  page
    .locator(`[data-zone="${name}"]`)
    .filter({ hasText: new RegExp(`${count}( tags?.*)?$`) })
    .waitFor();

beforeAll(async () => {
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
  user.password = (
    await appliance.cliJson<{ password: string }>('user', 'add', user.email, '--role', 'admin')
  ).password;
  browser = await openBrowser();
}, 60_000);
afterAll(async () => {
  await publisher?.close();
  await browser?.close();
  await appliance.dispose();
});

describe('what is where now', () => {
  test('a new site says how to begin', async () => {
    const { page, close, complaints } = await openHub(browser, endpoints.http, { user, path: '/now' });
    await page.getByText('Nothing is watched yet').waitFor();
    expect(await page.getByRole('link', { name: 'Set up' }).getAttribute('href')).toBe('/setup');
    expect(await checkAxe(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
    dockId = await zone('Dock', 'portal');
    const shelfId = await zone(naughty, 'staging');
    reader = await readerInService(appliance, rest, {
      serial: '370-21-09-0042',
      zones: { 1: dockId, 2: shelfId },
    });
    publisher = await Publisher.connect({
      url: endpoints.mqtts,
      serial: reader.serial,
      identity: reader.dir,
    });
  }, 60_000);

  test('counts follow tags as they move, and the moves are listed until they are paused', async () => {
    const { page, close, complaints } = await openHub(browser, endpoints.http, { user, path: '/now' });
    await page
      .getByRole('status')
      .filter({ hasText: /^live$/ })
      .waitFor();
    await read(1, epcs);
    await countOf(page, 'Dock', 3);
    const moves = page.getByRole('region', { name: 'Last moves' });
    await moves.getByText('E28011000000000000000003').waitFor();
    // Markup is text.
    await page.getByText(naughty).first().waitFor();
    expect(await page.evaluate('window.ran')).toBe(undefined);
    await moves.getByRole('button', { name: 'Pause' }).click();
    await moves.getByText('Paused').waitFor();
    const lines = await moves.getByRole('listitem').count();
    await read(2, [epcs[0] ?? '']);
    await countOf(page, 'Dock', 2);
    expect(await moves.getByRole('listitem').count()).toBe(lines);
    await moves.getByRole('button', { name: 'Go on' }).click();
    await moves.getByRole('listitem').filter({ hasText: naughty }).waitFor();
    await page.getByRole('region', { name: 'Readers' }).getByText(/^1 /).waitFor();
    expect(await checkAxe(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  }, 60_000);

  test('a zone opens what is in it, at an address of its own', async () => {
    const look = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;
    const { page, close, complaints } = await openHub(browser, endpoints.http, {
      user,
      path: '/now',
      ...look,
    });
    await page.locator('[data-zone="Dock"]').click();
    await page.waitForURL(`**/now?zone=${dockId}`);
    const drawer = page.getByRole('dialog', { name: 'Dock' });
    await drawer
      .getByRole('row')
      .filter({ hasText: epcs[1] ?? '' })
      .waitFor();
    expect(await drawer.getByRole('link', { name: epcs[1] ?? '' }).getAttribute('href')).toBe(
      `/tags/${epcs[1]}`,
    );
    expect(await checkAxe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(complaints).toEqual([]);
    await close();
  }, 60_000);
});

describe('the wall screen', () => {
  test('shows every zone at once without a frame, and is left in two steps only', async () => {
    for (let no = 1; no < 30; no++) await zone(`Aisle ${no}`, 'storage');
    const look = { viewport: { width: 1920, height: 1080 } } as const;
    const hub = await openHub(browser, endpoints.http, { user, path: '/now?kiosk&dark', ...look });
    const { page } = hub;
    await page.locator('[data-zone="Aisle 29"]').waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    const outside = `[...document.querySelectorAll('[data-zone]')].filter((one) => {
      const { top, left, bottom, right, height } = one.getBoundingClientRect();
      return top < 0 || left < 0 || bottom > innerHeight || right > innerWidth || height < 60;
    }).length`;
    expect(await page.evaluate(outside)).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
    await read(1, [epcs[0] ?? '']);
    await countOf(page, 'Dock', 3);
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Leave the wall screen' }).click();
    await page.getByRole('button', { name: 'Stay' }).click();
    expect(page.url()).toContain('kiosk');
    await page.getByRole('button', { name: 'Leave the wall screen' }).click();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('navigation').waitFor();
    expect(hub.complaints).toEqual([]);
    await hub.close();
  }, 60_000);

  test('says since when it is not live, and is live again by itself', async () => {
    const hub = await openHub(browser, endpoints.http, { user, path: '/now?kiosk' });
    const state = hub.page.locator('[data-live]');
    await state.filter({ hasText: /^live$/ }).waitFor();
    await publisher.close();
    await appliance.stop();
    await state.filter({ hasText: /^not live since \d\d:\d\d$/ }).waitFor();
    await countOf(hub.page, 'Dock', 3);
    appliance.env.TAGKEEP_HTTP__PORT = new URL(endpoints.http).port;
    endpoints = await appliance.start();
    await state.filter({ hasText: /^live$/ }).waitFor({ timeout: 30_000 });
    await hub.close();
  }, 90_000);
});
