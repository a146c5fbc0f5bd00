import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { overflow } from '../support/hub-house.ts';
import { epcNo, TagsHub } from '../support/tags-hub.ts';

const corpus = join(import.meta.dirname, '../corpus/blns.json');
const texts = (JSON.parse(readFileSync(corpus, 'utf8')) as readonly string[]).filter((text) =>
  /\S/.test(text),
);
const longest = 'W'.repeat(10_000);
const columns = ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6'];
const hub = new TagsHub();

/** The text as the name of its tag, and as a value of one of its columns. */
const rowOf = (text: string, no: number) => [
  epcNo(no),
  text,
  ...columns.map((_, column) => (column === no % columns.length ? text : '')),
];

beforeAll(() => hub.startWith([['epc', 'Name', ...columns], ...[...texts, longest].map(rowOf)]), 90_000);
afterAll(() => hub.dispose());

/** What a script that got into the page could have done by now. */
async function expectNothingRan(page: Page): Promise<void> {
  // Of what the strings try: elements with handlers, frames, foreign scripts and styles.
  const intruders =
    '[onerror],[onload],[onclick],[onmouseover],iframe,object,embed,marquee,svg script,#content script,img[src="x"]';
  expect(await page.locator(intruders).count()).toBe(0);
}

/** Scrolls a table to its end and collects what its name cells say. */
async function namesOf(page: Page): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  await page.locator('[data-row="0"][data-col="2"]').click();
  await expect
    .poll(
      async () => {
        for (const text of await page.locator('[data-col="2"]:not([data-row="-1"])').allTextContents())
          seen.add(text);
        await page.keyboard.press('PageDown');
        return page.locator(`[data-row="${texts.length}"]`).count();
      },
      { timeout: 60_000, interval: 50 },
    )
    .toBeGreaterThan(0);
  for (const text of await page.locator('[data-col="2"]:not([data-row="-1"])').allTextContents())
    seen.add(text);
  return seen;
}

describe('text from outside', () => {
  test('of every naughty string as the value and name of a tag the table shows text, and nothing runs', async () => {
    const { page, leave } = await hub.open('/tags');
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const seen = await namesOf(page);
    const shown = texts.filter((text) => seen.has(text));
    // What is typed as a number or a truth value is shown as the appliance keeps it (1E2 as 100).
    expect(shown.length).toBeGreaterThan(texts.length * 0.9);
    await expectNothingRan(page);
    expect(dialogs).toEqual([]);
    await leave();
  }, 120_000);

  test('a name of 10,000 letters, markup and right-to-left text break no page', async () => {
    const rude = texts.findIndex((text) => text.includes('<script>alert'));
    const { page, leave } = await hub.open(`/tags/${epcNo(texts.length)}`);
    for (const path of [`/tags/${epcNo(rude)}`, '/find?q=script', `/find?q=${epcNo(texts.length)}`, '/now']) {
      await page.goto(hub.origin + path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await expectNothingRan(page);
      expect(await overflow(page), path).toBeLessThanOrEqual(0);
    }
    await leave();
  }, 60_000);
});
