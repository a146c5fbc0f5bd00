import { Pace } from '../lib/pace.ts';
import { appendTimeline, zoneFinder } from './asset-timeline.ts';
import { unlinkTag } from './assets.ts';
import type { AssetRecord } from './records.ts';
import type { Reading, Store, Tx } from './store.ts';
import { tables } from './tables.ts';
import type { JournalEntry, TagLedger } from './tag-ledger.ts';
import { tagNoOf } from './tag-registry.ts';

/** Deletions whose traces are still being removed; more than 0 at a start: a process ended in the middle. */
const TRACES_LEFT = 'tagTracesLeft';

export interface Forgetting {
  readonly ledger: TagLedger;
  readonly orgId: string;
  readonly orgNo: number;
  /** In upper case; unknown and repeated ones count for nothing. */
  readonly epcs: readonly string[];
  /** Epoch ms. */
  readonly now: number;
}

/** An asset, as it is now, and the tag it lost. */
export interface UnlinkedAsset {
  readonly asset: AssetRecord;
  readonly epc: string;
}

/** What a deletion leaves to do. */
export interface Forgotten {
  /** The tags that were there, ascending. Give them to `removeTraces` after the commit. */
  readonly tagNos: readonly number[];
  /** Their EPCs, sorted. */
  readonly epcs: readonly string[];
  /** The assets that have no tag any longer, in the order of the EPCs. */
  readonly unlinked: readonly UnlinkedAsset[];
  /** For `TagLedger.applied`, right after the commit; null when nothing was deleted. */
  readonly entry: JournalEntry | null;
}

/**
 * Deletes tags in one transaction: nothing leads to them or to what was kept of them any more, their assets have no tag,
 * and whoever is read again is a new tag. What lies under their numbers, which are never given again, is removed right
 * after, in slices (`removeTraces`): in here it would hold the event loop for half a second.
 */
export function forgetTags(tx: Tx, forgetting: Forgetting): Forgotten {
  const { ledger, orgNo, epcs } = forgetting;
  // In the order of the index, which is quicker than as they come.
  const found = [...new Set(epcs)].sort().flatMap((epc) => {
    const tagNo = tagNoOf(tx, orgNo, epc);
    return tagNo === undefined ? [] : [{ epc, tagNo }];
  });
  if (found.length === 0) return { tagNos: [], epcs: [], unlinked: [], entry: null };
  const tagNos = found.map(({ tagNo }) => tagNo).sort((a, b) => a - b);
  for (const { epc } of found) tx.remove(tables.tagByEpc, [orgNo, epc]);
  for (const tagNo of tagNos) tx.remove(tables.tags, tagNo);
  const unlinked = unlinkAll(tx, forgetting, found);
  tx.put(tables.meta, TRACES_LEFT, tracesLeft(tx) + 1);
  return { tagNos, epcs: found.map(({ epc }) => epc), unlinked, entry: ledger.forget(tx, tagNos) };
}

/** Removes data, history and visits of deleted tags, once `applied` has their deletion. Leaves the event loop free. */
export async function removeTraces(store: Store, tagNos: readonly number[]): Promise<void> {
  if (tagNos.length === 0) return;
  for (let done = 0; done < tagNos.length; ) {
    const from = done;
    done = await store.write((tx) => removeSlice(tx, tagNos, from));
  }
  await store.write((tx) => tx.put(tables.meta, TRACES_LEFT, Math.max(0, tracesLeft(tx) - 1)));
}

/**
 * Removes what deleted tags left when a process ended before `removeTraces` was through. Call it at the start, before
 * anything is deleted; it may go on beside everything else, and costs nothing when there is nothing to do.
 */
export async function removeOrphans(store: Store): Promise<void> {
  const left = tracesLeft(store);
  if (left === 0) return;
  const pace = new Pace();
  for (const next of [nextWithData, nextWithHistory, nextWithVisits])
    for (let tagNo = next(store, 0); tagNo !== null; tagNo = next(store, tagNo + 1)) {
      if (!store.get(tables.tags, tagNo)) await removeOrphan(store, tagNo);
      if (pace.due) await pace.pause();
    }
  await store.write((tx) => tx.put(tables.meta, TRACES_LEFT, Math.max(0, tracesLeft(tx) - left)));
}

async function removeOrphan(store: Store, tagNo: number): Promise<void> {
  while ((await store.write((tx) => removeSlice(tx, [tagNo], 0))) === 0);
}

function tracesLeft(reading: Reading): number {
  return reading.get(tables.meta, TRACES_LEFT) ?? 0;
}

interface Found {
  readonly epc: string;
  readonly tagNo: number;
}

function unlinkAll(
  tx: Tx,
  { ledger, orgId, now }: Forgetting,
  found: readonly Found[],
): readonly UnlinkedAsset[] {
  const zoneOf = zoneFinder(tx);
  return found.flatMap(({ epc, tagNo }) => {
    const assetId = tx.get(tables.assetByTag, tagNo);
    const asset = assetId === undefined ? undefined : tx.get(tables.assets, [orgId, assetId]);
    if (!asset) return [];
    // The live state, not the timeline: of 10,000 assets those would be too long to look at in one transaction.
    const { zoneNo, zoneSince } = ledger.states.get(tagNo);
    const zone = zoneOf(orgId, zoneNo);
    if (zone) appendTimeline(tx, asset.id, { kind: 'zone_exit', at: Math.max(now, zoneSince), zone });
    return [{ epc, asset: unlinkTag(tx, { orgId, asset, now }) }];
  });
}

/** Answers where the next slice begins. */
function removeSlice(tx: Tx, tagNos: readonly number[], from: number): number {
  const pace = new Pace();
  let at = from;
  for (; at < tagNos.length && !pace.due; at++) {
    const tagNo = tagNos[at];
    if (tagNo !== undefined && !removeSome(tx, tagNo, pace)) return at;
  }
  return at;
}

/** Removes what lies under a number; false when there was no time for all of it. */
function removeSome(tx: Tx, tagNo: number, pace: Pace): boolean {
  tx.remove(tables.tagData, tagNo);
  const ofTag = { start: [tagNo], end: [tagNo + 1], limit: ENTRIES_AT_ONCE };
  for (const table of [tables.tagHistory, tables.visits] as const)
    for (;;) {
      const keys = Array.from(tx.range<TraceKey, unknown>(table, ofTag), ({ key }) => key);
      for (const key of keys) tx.remove<TraceKey, unknown>(table, key);
      if (keys.length < ENTRIES_AT_ONCE) break;
      if (pace.due) return false;
    }
  return true;
}

/** Removed between two looks at the clock: a tag may have a very long history. */
const ENTRIES_AT_ONCE = 500;
type TraceKey = readonly [tagNo: number, number, number];

function nextWithData(reading: Reading, from: number): number | null {
  for (const { key } of reading.range(tables.tagData, { start: from, limit: 1 })) return key;
  return null;
}

function nextWithHistory(reading: Reading, from: number): number | null {
  for (const { key } of reading.range(tables.tagHistory, { start: [from], limit: 1 })) return key[0];
  return null;
}

function nextWithVisits(reading: Reading, from: number): number | null {
  for (const { key } of reading.range(tables.visits, { start: [from], limit: 1 })) return key[0];
  return null;
}
