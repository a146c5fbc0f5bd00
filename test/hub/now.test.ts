import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAxe } from '../support/browser.ts';
import { HubHouse, overflow, phone } from '../support/hub-house.ts';
import type { Publisher } from '../support/publisher.ts';

const naughty = '<img src=x onerror="window.ran=true"> שלום \u{1F469}\u200D\u{1F680}';
const epcs = ['E28011000000000000000001', 'E28011000000000000000002', 'E28011000000000000000003'];
const house = new HubHouse();
let publisher: Publisher;
let dockId = '';

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

beforeAll(() => house.start(), 60_000);
afterAll(async () => {
  await publisher?.close();
  await house.dispose();
});

describe('what is where now', () => {
  test('a new site says how to begin', async () => {
    const { page, leave } = await house.open('/now');
    await page.getByText('Nothing is watched yet').waitFor();
    expect(await page.getByRole('link', { name: 'Set up' }).getAttribute('href')).toBe('/setup');
    expect(await checkAxe(page)).toEqual([]);
    await leave();
    dockId = await house.zone('Dock', 'portal');
    const shelfId = await house.zone(naughty, 'staging');
    publisher = await house.connect(await house.reader('370-21-09-0042', { 1: dockId, 2: shelfId }));
  }, 60_000);

  test('counts follow tags as they move, and the moves are listed until they are paused', async () => {
    const { page, leave } = await house.open('/now');
    await page
      .getByRole('status')
      .filter({ hasText: /^live$/ })
      .waitFor();
    // Moves are heard from when their list is there.
    const moves = page.getByRole('region', { name: 'Last moves' });
    await moves.waitFor();
    await read(1, epcs);
    await countOf(page, 'Dock', 3);
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
    await leave();
  }, 60_000);

  test('a zone opens what is in it, at an address of its own', async () => {
    const { page, leave } = await house.open('/now', phone);
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
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await leave();
  }, 60_000);
});

describe('the wall screen', () => {
  test('shows every zone at once without a frame, and is left in two steps only', async () => {
    for (let no = 1; no < 30; no++) await house.zone(`Aisle ${no}`);
    const wall = { width: 1920, height: 1080 };
    const { page, leave } = await house.open('/now?kiosk&dark', { viewport: wall });
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
    await leave();
  }, 60_000);

  test('says since when it is not live, and is live again by itself', async () => {
    const { page, close } = await house.open('/now?kiosk');
    const state = page.locator('[data-live]');
    await state.filter({ hasText: /^live$/ }).waitFor();
    await publisher.close();
    await house.appliance.stop();
    await state.filter({ hasText: /^not live since \d\d:\d\d$/ }).waitFor();
    await countOf(page, 'Dock', 3);
    await house.restart();
    await state.filter({ hasText: /^live$/ }).waitFor({ timeout: 30_000 });
    await close();
  }, 90_000);
});
