import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tables } from '../../src/store/tables.ts';
import { TagLedger } from '../../src/store/tag-ledger.ts';
import { furnish, openHouse, plain } from '../support/ingest-house.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';
import { bundle, startPeer } from '../support/store-process.ts';

let program = '';
let folder: StoreFolder;
const newest = new Map<string, number>();

beforeAll(async () => {
  program = await bundle('ingest-peer.ts');
  folder = storeFolder();
  await furnish(folder.store);
});

afterAll(() => folder.close());

describe('kill -9 under load', () => {
  // What one round left is what the next one starts from.
  it.each([
    ['within the first batches', 0, 1],
    ['early', 1, 700],
    ['after several checkpoints', 2, 4000],
  ])('%s loses no acknowledged read and mixes up no tag', async (_, round, enough) => {
    const peer = startPeer(program, [folder.dir, String(round)]);
    await peer.until((lines) => lines.length >= enough);
    await peer.kill();
    for (const line of peer.lines) {
      const [epc = '', at = ''] = line.split(' ');
      newest.set(epc, Math.max(newest.get(epc) ?? 0, Number(at)));
    }
    const store = await folder.reopen();
    const ledger = new TagLedger(store);
    const lost = [...newest].filter(([epc, at]) => {
      const tagNo = store.get(tables.tagByEpc, [1, epc]) ?? 0;
      const known = store.get(tables.tags, tagNo)?.epc === epc && ledger.states.orgNo(tagNo) === 1;
      const newestVisit = ledger.visits(tagNo, 1)[0]?.lastAt ?? 0;
      return !known || !(ledger.states.lastSeenAt(tagNo) >= at) || !(newestVisit >= at);
    });
    expect(lost).toEqual([]);
    expect(store.count(tables.tags)).toBe(store.count(tables.tagByEpc));
    expect(store.get(tables.meta, 'lastTagNo')).toBe(store.count(tables.tags));
  });

  it('and the same reads delivered again after it count nothing twice', async () => {
    const house = openHouse(folder.store);
    const before = new Map([...newest.keys()].map((epc) => [epc, house.onDisk(1, epc)?.visits]));
    for (const [epc, at] of newest) await house.send('A1', plain(epc, at));
    await house.ingest.stop();
    expect(house.diagnostics.of('A1').repeats).toBe(newest.size);
    for (const [epc, visits] of before)
      expect(house.ledger.visits(house.onDisk(1, epc)?.tagNo ?? 0, 100)).toEqual(visits);
  });
});
