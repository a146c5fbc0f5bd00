import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAxe } from '../support/browser.ts';
import { cell, epcNo, naughty, TagsHub } from '../support/tags-hub.ts';

const hub = new TagsHub();

beforeAll(() => hub.startWithPallets(200), 90_000);
afterAll(() => hub.dispose());

describe('columns', () => {
  test('are added, renamed with their values, moved, hidden and deleted', async () => {
    const { page, leave } = await hub.open('/tags?q=Pallet%203');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Add a column' }).click();
    await page.getByLabel('Name of the column').fill('Best before');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const menu = (label: string) => page.getByRole('button', { name: `Column ${label}`, exact: true });
    await menu('Best before').click();
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Move to the left' }).click();
    await expect
      .poll(async () => (await hub.rest.get<{ key: string }[]>('/fields')).map((field) => field.key))
      .toEqual(['name', 'best_before', 'weight']);
    await menu('Weight').click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByLabel('Name of the column').fill('Kilograms');
    await page.getByRole('button', { name: 'Save' }).click();
    await menu('Kilograms').waitFor();
    expect(await cell(page, 0, 6).textContent()).toMatch(/^\d+$/);
    await menu('Kilograms').click();
    await page.getByRole('menuitem', { name: 'Hide in this browser' }).click();
    await menu('Kilograms').waitFor({ state: 'detached' });
    await menu('Best before').click();
    await page.getByRole('menuitem', { name: 'Delete the column…' }).click();
    await page.getByLabel('Type Best before to confirm').fill('Best before');
    await page.getByRole('button', { name: 'Delete the column' }).click();
    await menu('Best before').waitFor({ state: 'detached' });
    await leave();
  }, 60_000);
});

describe('an import', () => {
  test('shows what it would do, line by line, before it does it', async () => {
    const { page, leave } = await hub.open('/tags/import');
    const csv = `epc,Name\nAAAABBBBCCCCDDDD,New one\n=HYPERLINK,bad\n${epcNo(7)},Known one\n`;
    const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('Nothing has been changed yet').waitFor();
    await page.getByText('Line 3').waitFor();
    expect(await hub.attributes('AAAABBBBCCCCDDDD')).toEqual({});
    expect(await checkAxe(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download these rows as CSV' }).click();
    expect((await download).suggestedFilename()).toBe('import-errors.csv');
    await page.getByRole('button', { name: 'Import 2 rows' }).click();
    await page.getByText('The import is done.').waitFor();
    expect((await hub.attributes('AAAABBBBCCCCDDDD')).name).toBe('New one');
    await page.getByRole('button', { name: 'Show the tags' }).click();
    await page.waitForURL('**/tags');
    await leave();
  }, 60_000);
});

describe('a tag', () => {
  test('is added by its EPC, told about in words, and written into', async () => {
    const { page, leave } = await hub.open('/tags');
    await page.getByRole('button', { name: 'Add a tag' }).click();
    await page.getByLabel('EPC', { exact: true }).fill('nonsense');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('An EPC is 8 to 64 digits').waitFor();
    await page.getByLabel('EPC', { exact: true }).fill('3074257bf7194e4000001a85');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.waitForURL('**/tags/3074257BF7194E4000001A85');
    const drawer = page.getByRole('dialog', { name: 'Tag without a name' });
    await drawer.getByText('GTIN 80614141123458, serial 6789').waitFor();
    await drawer.getByText('It was not read yet.').waitFor();
    await drawer.getByRole('button', { name: 'Name of 3074257BF7194E4000001A85' }).click();
    await drawer.getByRole('textbox', { name: 'Name' }).fill(naughty);
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('dialog')
      .getByRole('heading', { name: /<img src=x/ })
      .waitFor();
    expect((await hub.attributes('3074257BF7194E4000001A85')).name).toBe(naughty);
    expect(await checkAxe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.waitForURL('**/tags');
    await leave();
  }, 60_000);
});

describe('what somebody else wrote meanwhile', () => {
  const other = 'Somebody else has written';
  const name = async (no: number) => (await hub.attributes(epcNo(no))).name;
  const write = (no: number, text: string) => hub.rest.ok('PUT', `/tags/${epcNo(no)}/data`, { name: text });

  test('is replaced from the drawer by nobody who has not seen it, and by no undo', async () => {
    const { page, leave } = await hub.open(`/tags/${epcNo(5)}`);
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: `Name of ${epcNo(5)}` }).click();
    const box = drawer.getByRole('textbox', { name: 'Name' });
    await box.fill('mine');
    await write(5, 'theirs');
    // The page learns of it by itself, but whoever types does not.
    const asked = page.waitForResponse(`**/tags/${epcNo(5)}/data`);
    await page.clock.setFixedTime(Date.now() + 60_000);
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await (await asked).finished();
    await drawer.getByRole('heading', { name: 'theirs' }).waitFor();
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.getByText(`${other} "theirs" meanwhile.`).waitFor();
    expect(await name(5)).toBe('theirs');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => name(5)).toBe('mine');
    await write(5, 'theirs again');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('alert').filter({ hasText: other }).waitFor();
    expect(await name(5)).toBe('theirs again');
    await leave();
  }, 60_000);

  test('stays when a cell is taken back; undone is what was written as it is kept', async () => {
    const { page, leave } = await hub.open('/tags?q=Pallet%207');
    await cell(page, 0, 2).click();
    const epc = ((await cell(page, 0, 1).textContent()) ?? '').trim();
    const before = (await hub.attributes(epc)).name;
    const type = async (text: string) => {
      await page.keyboard.press('F2');
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(text);
      await page.keyboard.press('Tab');
      await page.getByRole('button', { name: 'Undo' }).waitFor();
    };
    // Blanks alone are kept as nothing.
    await type('  ');
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await hub.attributes(epc)).name).toBe(before);
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await cell(page, 0, 2).click();
    await type('mine');
    await hub.rest.ok('PUT', `/tags/${epc}/data`, { name: 'theirs' });
    await page.keyboard.press('Control+z');
    await page
      .getByRole('alert')
      .filter({ hasText: `${other} "theirs"` })
      .waitFor();
    expect((await hub.attributes(epc)).name).toBe('theirs');
    await leave();
  }, 60_000);
});

describe('a licence that refuses changes', () => {
  test('lets everything be read, and says why nothing can be written', async () => {
    const { page, leave } = await hub.open('/tags');
    await hub.admin.ok('PUT', '/license', { token: hub.expiredLicence() });
    await page.goto(`${hub.origin}/tags/${epcNo(3)}`);
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('heading', { name: 'History of the data' }).waitFor();
    const edit = drawer.getByRole('button', { name: `Name of ${epcNo(3)}` });
    await expect.poll(() => edit.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await cell(page, 0, 2).click();
    await page.keyboard.press('F2');
    expect(await page.locator('textarea').count()).toBe(0);
    expect(await cell(page, 0, 2).getAttribute('aria-readonly')).toBe('true');
    expect(await checkAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Import CSV' }).hover();
    await page.getByText('The licence refuses changes now.').waitFor();
    await leave();
  }, 60_000);
});
