import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AssetLinks, createAssetLinks } from '../../src/store/asset-links.ts';
import { changeAsset, createAsset, linkTag, stepAsset, unlinkTag } from '../../src/store/assets.ts';
import type { AssetRecord } from '../../src/store/records.ts';
import { type Tx, WriteFailed } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const orgId = 'org-a';
const now = 1_772_442_937_412;

let folder: StoreFolder;
let links: AssetLinks;

beforeEach(() => {
  folder = storeFolder();
  links = createAssetLinks(folder.store);
});
afterEach(() => folder.close());

const add = (name: string, of = orgId): Promise<AssetRecord> =>
  folder.store.write((tx) =>
    createAsset(tx, of, { id: `${of}-${name}`, now, name, ...{ assetTagNumber: name, category: '' } }),
  );

/** Runs a change of one asset as it is now. */
function change<T>(
  name: string,
  action: (tx: Tx, at: { orgId: string; asset: AssetRecord; now: number }) => T,
) {
  return folder.store.write((tx) => {
    const asset = tx.get(tables.assets, [orgId, `${orgId}-${name}`]);
    if (!asset) throw new Error(`no asset ${name}`);
    return action(tx, { orgId, asset, now });
  });
}

const link = (name: string, tagNo: number, label: string | null = null) =>
  change(name, (tx, at) => linkTag(tx, at, { tagNo, label, supersede: true }));

const names = (of: string, options: { after?: number; limit: number }) =>
  links.page(of, { after: undefined, ...options })?.map(({ name }) => name);

/** What memory says, to be compared with what a start would load. */
function contents(of: AssetLinks): unknown {
  const tags = Array.from({ length: 10 }, (_, tagNo) => [of.linkOf(tagNo), of.linked(tagNo)]);
  const sorted = (values: Iterable<number>) => [...values].sort();
  const watched = [...of.watched()].sort((a, b) => a.no - b.no);
  return [tags, sorted(of.linkedTags(orgId)), watched, of.page(orgId, { after: undefined, limit: 100 })];
}

describe('what memory holds of the assets', () => {
  test('a link is known as soon as its write is durable, and gone with its end', async () => {
    await add('A');
    await link('A', 7, 'Yellow');
    expect(links.linkOf(7)).toEqual({ assetId: 'org-a-A', orgId, label: 'Yellow' });
    expect([links.linked(7), links.linked(8)]).toEqual([true, false]);
    expect([...links.linkedTags(orgId)]).toEqual([7]);
    await change('A', unlinkTag);
    expect([links.linkOf(7), links.linked(7), [...links.linkedTags(orgId)]]).toEqual([null, false, []]);
  });

  test('a tag that goes from one asset to another in one write belongs to the other, whichever is told first', async () => {
    for (const [from, to] of [
      ['A', 'B'],
      ['D', 'C'],
    ] as const) {
      await add(from);
      await add(to);
      await link(from, 7);
      await link(to, 7);
      expect(links.linkOf(7)?.assetId).toBe(`org-a-${to}`);
      expect([...links.linkedTags(orgId)]).toEqual([7]);
      await change(to, unlinkTag);
    }
  });

  test('without a label it is the name, as it is now', async () => {
    await add('A');
    await link('A', 7);
    await change('A', (tx, at) => changeAsset(tx, at, { name: 'New' }));
    expect(links.linkOf(7)?.label).toBe('New');
  });

  test('a write that is rolled back is not seen', async () => {
    await add('A');
    const failing = change('A', (tx, at) => {
      linkTag(tx, at, { tagNo: 7, label: null, supersede: false });
      throw new Error('no');
    });
    await expect(failing).rejects.not.toBeInstanceOf(WriteFailed);
    expect(links.linked(7)).toBe(false);
  });

  test('while a link is being written any tag may be linked; afterwards memory knows', async () => {
    await add('A');
    expect(links.mayBeLinked(7)).toBe(false);
    const writing = links.whileLinking(() => link('A', 7));
    expect([links.mayBeLinked(7), links.mayBeLinked(8)]).toEqual([true, true]);
    await writing;
    expect([links.mayBeLinked(7), links.mayBeLinked(8)]).toEqual([true, false]);
    await expect(links.whileLinking(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(links.mayBeLinked(8)).toBe(false);
  });

  test('pages are in the order of names and never hold retired assets or those of others', async () => {
    for (const name of ['c', 'a', 'B', 'd']) await add(name);
    await add('x', 'org-b');
    expect(names(orgId, { limit: 3 })).toEqual(['B', 'a', 'c']);
    const [, a] = links.page(orgId, { after: undefined, limit: 2 }) ?? [];
    expect(names(orgId, { after: a?.no ?? 0, limit: 9 })).toEqual(['c', 'd']);
    await change('a', (tx, at) => stepAsset(tx, at, { trigger: 'retire' }));
    expect(names(orgId, { after: a?.no ?? 0, limit: 9 })).toEqual(['c', 'd']);
    expect(names(orgId, { limit: 9 })).toEqual(['B', 'c', 'd']);
    expect(names('org-b', { after: a?.no ?? 0, limit: 9 })).toBeUndefined();
    expect(names('nobody', { limit: 9 })).toEqual([]);
  });

  test('a start loads what the changes left', async () => {
    for (const name of ['A', 'B', 'C', 'D', 'E']) await add(name);
    await link('A', 1, 'Label');
    await link('B', 2);
    await link('C', 3);
    await link('D', 1);
    await change('B', (tx, at) => stepAsset(tx, at, { trigger: 'check_out' }));
    const meta = { lastSeenAt: '2026-03-01T09:15:37.412Z' };
    const set = { missedAt: Date.parse(meta.lastSeenAt) };
    await change('C', (tx, at) => stepAsset(tx, at, { trigger: 'mark_missing', set, meta }));
    await change('C', (tx, at) => changeAsset(tx, at, { name: 'Aa' }));
    await change('E', (tx, at) => stepAsset(tx, at, { trigger: 'retire' }));
    expect([...links.watched()].find(({ name }) => name === 'Aa')?.missedAt).toBe(
      Date.parse(meta.lastSeenAt),
    );
    expect([...links.watched()].map(({ name }) => name).sort()).toEqual(['Aa', 'D']);
    const before = contents(links);
    expect(contents(createAssetLinks(await folder.reopen()))).toEqual(before);
  });
});
