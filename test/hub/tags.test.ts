import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAxe } from '../support/browser.ts';
import { cell, epcNo, naughty, TagsHub } from '../support/tags-hub.ts';

const ROWS = 6000;
const hub = new TagsHub();

beforeAll(() => hub.startWithPallets(ROWS), 90_000);
afterAll(() => hub.dispose());

const epcIn = async (page: Page, row: number) => ((await cell(page, row, 1).textContent()) ?? '').trim();

/** A row that is being loaded can be clicked on, but not written into. */
const untilLoaded = (page: Page) => expect.poll(() => epcIn(page, 0)).not.toBe('');

/** Tags that were never read are listed newest first. */
const epcAt = (row: number) => epcNo(ROWS - 1 - row);

/** The scroll bar is dragged to a part of its way. */
const drag = (page: Page, part: number) =>
  page.evaluate(`(() => {
    const box = document.querySelector('[role=grid]');
    box.scrollTop = ${part} * (box.scrollHeight - box.clientHeight);
  })()`);

// The cell that keys act on is there also when it is not seen.
const rowsSeen = `(() => {
  const { top } = document.querySelector('[role=grid]').getBoundingClientRect();
  return [...document.querySelectorAll('[role=gridcell][data-col="1"]')]
    .filter((cell) => cell.getBoundingClientRect().bottom > top)
    .map((cell) => [Number(cell.dataset.row), cell.textContent]);
})()`;

/** Every row on the screen shows the tag of its place. */
async function checkRows(page: Page): Promise<void> {
  const rows = () => page.evaluate<[number, string][]>(rowsSeen);
  await expect.poll(async () => (await rows()).every(([, epc]) => epc !== '')).toBe(true);
  const seen = await rows();
  expect(seen.length).toBeGreaterThan(10);
  expect(seen).toEqual(seen.map(([row]) => [row, epcAt(row)]));
}

describe('the table', () => {
  test('is written into by keyboard alone, shows markup as text, and takes back', async () => {
    const { page, leave } = await hub.open('/tags?q=Pallet%201');
    await untilLoaded(page);
    await cell(page, 0, 2).click();
    const epc = await epcIn(page, 0);
    await page.keyboard.type('x');
    await page.keyboard.press('Escape');
    await expect.poll(() => cell(page, 0, 2).textContent()).toMatch(/^Pallet 1/);
    await page.keyboard.press('F2');
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(naughty);
    await page.keyboard.press('Tab');
    await expect.poll(async () => (await hub.attributes(epc)).name).toBe(naughty);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(await cell(page, 0, 2).textContent()).toContain('<img src=x');
    expect(await page.evaluate('document.activeElement.dataset.col')).toBe('5');
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await hub.attributes(epc)).name).toMatch(/^Pallet 1/);
    expect(await checkAxe(page)).toEqual([]);
    await leave();
  }, 60_000);

  test('keeps what was typed and says why when it is refused', async () => {
    const { page, close } = await hub.open('/tags?q=Pallet%202');
    await untilLoaded(page);
    await cell(page, 0, 2).click();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('y'.repeat(10_001));
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .filter({ hasText: /Not saved: .*10.?000/ })
      .waitFor();
    expect(await cell(page, 0, 2).getAttribute('aria-invalid')).toBe('true');
    await cell(page, 0, 2).click();
    await page.keyboard.press('F2');
    expect((await page.locator('textarea').inputValue()).length).toBe(10_001);
    expect(await checkAxe(page)).toEqual([]);
    await close();
  }, 60_000);

  test('goes to the end of a long list and back, and lists what is searched for', async () => {
    const { page, leave } = await hub.open('/tags');
    await cell(page, 0, 1).click({ position: { x: 200, y: 4 } });
    const grid = page.getByRole('grid');
    await expect
      .poll(
        async () => {
          await page.keyboard.press('Control+End');
          return grid.getAttribute('aria-rowcount');
        },
        { timeout: 15_000 },
      )
      .toBe(String(ROWS + 1));
    await page.keyboard.press('Control+End');
    await expect.poll(() => page.evaluate('document.activeElement.dataset.row')).toBe(String(ROWS - 1));
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    await page.keyboard.press('Control+Home');
    await expect.poll(() => page.evaluate('document.activeElement.dataset.row')).toBe('0');
    await page.getByRole('searchbox', { name: 'Search in EPC and data' }).fill('Pallet 1199');
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('2');
    await page.waitForURL('**/tags?q=Pallet+1199');
    await page.getByRole('searchbox', { name: 'Search in EPC and data' }).fill('no such thing');
    await page.getByRole('button', { name: 'Show all tags' }).click();
    await expect.poll(() => grid.count()).toBe(1);
    await leave();
  }, 60_000);

  test('has all its rows from the beginning, and shows the tags of any place it is dragged to', async () => {
    const { page, leave } = await hub.open('/tags');
    const grid = page.getByRole('grid');
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe(String(ROWS + 1));
    await page.getByText('6,000 tags').waitFor();
    for (const [part, row] of [
      [0.5, ROWS / 2],
      [1, ROWS - 1],
      [0.25, ROWS / 4],
      [0, 0],
    ] as const) {
      await drag(page, part);
      await expect.poll(() => epcIn(page, row)).toBe(epcAt(row));
      await checkRows(page);
    }
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    await leave();
  }, 60_000);

  test('runs on when it is scrolled slowly, upwards too', async () => {
    const { page, leave } = await hub.open('/tags');
    await expect.poll(() => epcIn(page, 0)).toBe(epcAt(0));
    await drag(page, 0.5);
    await expect.poll(() => epcIn(page, ROWS / 2)).toBe(epcAt(ROWS / 2));
    await cell(page, ROWS / 2, 1).click({ position: { x: 200, y: 4 } });
    const row = () => page.evaluate('Number(document.activeElement.dataset.row)').then(Number);
    for (const key of ['PageUp', 'PageDown'])
      for (let pages = 0; pages < 20; pages++) {
        const before = await row();
        await page.keyboard.press(key);
        await expect.poll(row).not.toBe(before);
        await expect.poll(async () => epcIn(page, await row())).toBe(epcAt(await row()));
      }
    await checkRows(page);
    await leave();
  }, 60_000);

  test('deletes a range of rows after its count was typed', async () => {
    const { page, close } = await hub.open('/tags?q=Pallet%2099', { colorScheme: 'dark' });
    await untilLoaded(page);
    await cell(page, 0, 0).click();
    await cell(page, 3, 0).click({ modifiers: ['Shift'] });
    await page.getByText('4 tags chosen').waitFor();
    const gone = await epcIn(page, 3);
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 4 tags?' });
    await dialog.getByText('comes back as new').waitFor();
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Type 4 to confirm').fill('4');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('4 tags deleted').waitFor();
    await expect.poll(() => hub.attributes(gone)).toEqual({});
    await close();
  }, 60_000);

  test('keeps the focus in the last row of a list that got shorter meanwhile', async () => {
    const { page, leave } = await hub.open('/tags');
    const grid = page.getByRole('grid');
    await expect.poll(async () => Number(await grid.getAttribute('aria-rowcount'))).toBeGreaterThan(5000);
    await untilLoaded(page);
    const rows = Number(await grid.getAttribute('aria-rowcount')) - 1;
    const epcs = Array.from({ length: 300 }, (_, no) => epcNo(3000 + no));
    await hub.rest.ok('POST', '/tags/bulk-delete', { epcs });
    await cell(page, 0, 1).click({ position: { x: 200, y: 4 } });
    await page.keyboard.press('Control+End');
    const row = () => page.evaluate('document.activeElement.dataset.row');
    await expect.poll(row).toBe(String(rows - 301));
    expect(await grid.getAttribute('aria-rowcount')).toBe(String(rows - 299));
    await leave();
  }, 60_000);
});
