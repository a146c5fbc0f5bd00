import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { epcNo, TagsHub } from '../support/tags-hub.ts';

const corpus = join(import.meta.dirname, '../corpus/blns.json');
const texts = (JSON.parse(readFileSync(corpus, 'utf8')) as readonly string[]).filter((text) =>
  /\S/.test(text),
);
const longest = 'W'.repeat(10_000);
const AT_ONCE = 20;
const hub = new TagsHub();

beforeAll(async () => {
  await hub.start(texts.length + 1);
  const write = (text: string, no: number) =>
    hub.api('PUT', `/tags/${epcNo(no)}/data`, JSON.stringify({ Name: text, [`k${no % 7}`]: text }));
  const all = [...texts, longest].map((text, no) => ({ text, no }));
  for (let from = 0; from < all.length; from += AT_ONCE)
    await Promise.all(all.slice(from, from + AT_ONCE).map(({ text, no }) => write(text, no)));
}, 120_000);
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
    const { page, complaints, close } = await hub.open('/tags');
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
    expect(complaints).toEqual([]);
    await close();
  }, 120_000);

  test('a name of 10,000 letters, markup and right-to-left text break no page', async () => {
    const rude = texts.findIndex((text) => text.includes('<script>alert'));
    const { page, complaints, close } = await hub.open(`/tags/${epcNo(texts.length)}`);
    for (const path of [`/tags/${epcNo(rude)}`, '/find?q=script', `/find?q=${epcNo(texts.length)}`, '/now']) {
      await page.goto(hub.origin + path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await expectNothingRan(page);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect(overflow, path).toBeLessThanOrEqual(0);
    }
    expect(complaints).toEqual([]);
    await close();
  }, 60_000);
});
