import { createHash } from 'node:crypto';
import {
  type AssetEventKind,
  type AssetRefusal,
  type AssetStatus,
  type AssetTrigger,
  assetStep,
} from '../domain/asset.ts';
import { type Refused, refuse } from '../domain/refusal.ts';
import { resolveProblem } from './alerts.ts';
import { appendTimeline, recordTagTaken } from './asset-timeline.ts';
import type { AssetEventRecord, AssetRecord } from './records.ts';
import type { Tx } from './store.ts';
import { tables } from './tables.ts';

/** An asset and when something happens to it, epoch ms. */
export interface AssetAt {
  readonly orgId: string;
  readonly asset: AssetRecord;
  readonly now: number;
}

/** What people say of an asset. */
export type AssetWords = Pick<AssetRecord, 'assetTagNumber' | 'name' | 'category'>;

/** What makes an asset's being missing one problem for alerts. */
export function missingProblem(assetId: string): string {
  return `missing:${assetId}`;
}

/** Makes an asset and begins its timeline. Throws `asset-number-taken`. `id` is a new UUID, `now` epoch ms. */
export function createAsset(
  tx: Tx,
  orgId: string,
  { id, now, ...words }: AssetWords & { readonly id: string; readonly now: number },
): AssetRecord {
  const asset: AssetRecord = {
    ...{ id, no: tx.next('lastAssetNo'), ...words, status: 'available', createdAt: now },
    ...{ ...broughtBack, ...notLinked },
  };
  takeNumber(tx, orgId, asset);
  tx.put(tables.assets, [orgId, id], asset);
  appendTimeline(tx, id, { kind: 'created', at: now, meta: { name: asset.name } });
  return asset;
}

const broughtBack = { custodian: null, checkedOutAt: null, expectedReturnAt: null } as const;
const notLinked = { tagNo: null, tagLabel: null, linkedAt: null } as const;

/**
 * Changes what people say of an asset and writes it on the timeline, unless everything is so already. Throws
 * `asset-retired`, `asset-number-taken`.
 */
export function changeAsset(tx: Tx, at: AssetAt, change: Partial<AssetWords>): AssetRecord {
  const { orgId, asset, now } = at;
  if (asset.status === 'retired') throw refusalFor('asset-retired', asset.status);
  const after: AssetRecord = { ...asset, ...change };
  if (after.assetTagNumber !== asset.assetTagNumber) {
    takeNumber(tx, orgId, after);
    tx.remove(tables.assetByNumber, numberKey(orgId, asset.assetTagNumber));
  }
  const changes = changesOf(asset, after);
  if (Object.keys(changes).length === 0) return asset;
  tx.put(tables.assets, [orgId, asset.id], after);
  appendTimeline(tx, asset.id, {
    kind: 'created',
    at: now,
    meta: { name: after.name, updated: true, changes },
  });
  return after;
}

function changesOf(before: AssetRecord, after: AssetRecord): Record<string, { from: string; to: string }> {
  const names = ['name', 'assetTagNumber', 'category'] as const;
  const changed = names.filter((name) => before[name] !== after[name]);
  return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: after[name] }]));
}

/** A change of status, what else it sets, and what the timeline says of it. */
export interface StatusChange {
  readonly trigger: AssetTrigger;
  readonly set?: Partial<Pick<AssetRecord, 'custodian' | 'checkedOutAt' | 'expectedReturnAt' | 'missedAt'>>;
  readonly meta?: AssetEventRecord['meta'];
}

const kinds: Readonly<Record<AssetTrigger, AssetEventKind>> = {
  check_out: 'check_out',
  check_in: 'check_in',
  retire: 'retired',
  mark_missing: 'marked_missing',
  find: 'found',
};

/**
 * Takes an asset from one status to the next: record, timeline, and the alert of a missing one resolved. Retiring gives
 * its tag and its number free. Whoever is no longer checked out has no custodian, whoever is no longer missing was not
 * missed. Throws the refusal of `assetStep`;
 * null where the service has nothing to do.
 */
export function stepAsset(tx: Tx, at: AssetAt, { trigger, set, meta }: StatusChange): AssetRecord | null {
  const { orgId, asset, now } = at;
  const step = assetStep(asset.status, trigger);
  if (step.to === null) {
    if (step.refusal) throw refusalFor(step.refusal, asset.status);
    return null;
  }
  if (asset.status === 'missing') resolveProblem(tx, { orgId, problem: missingProblem(asset.id), now });
  const away = step.to === 'checked_out' ? {} : broughtBack;
  const { missedAt: _, ...kept } = step.to === 'retired' ? release(tx, at) : asset;
  const after: AssetRecord = { ...kept, ...away, ...set, status: step.to };
  tx.put(tables.assets, [orgId, asset.id], after);
  appendTimeline(tx, asset.id, { kind: kinds[trigger], at: now, ...(meta && { meta }) });
  return after;
}

function release(tx: Tx, at: AssetAt): AssetRecord {
  const { orgId, asset } = at;
  tx.remove(tables.assetByNumber, numberKey(orgId, asset.assetTagNumber));
  if (asset.tagNo !== null) {
    tx.remove(tables.assetByTag, asset.tagNo);
    recordTagTaken(tx, at);
  }
  return { ...asset, ...notLinked };
}

function refusalFor(refusal: AssetRefusal, status: AssetStatus): Refused {
  const details: Record<AssetRefusal, string> = {
    'asset-not-available': 'The asset is checked out already.',
    'asset-not-checked-out': `The asset is ${status}, not checked out.`,
    'asset-retired': 'The asset is retired.',
  };
  return refuse(refusal, details[refusal]);
}

/** A tag to link, by number. `label` null: the inventory calls it by the asset's name. */
export interface NewLink {
  readonly tagNo: number;
  readonly label: string | null;
  /** Whether a link the tag has already is ended; else it is refused. */
  readonly supersede: boolean;
}

/**
 * Links a tag to an asset; a tag the asset had before is free again, and so is the asset the tag had. Throws
 * `asset-retired`, `tag-linked`. `ended` is the other asset as it was, if the tag was linked to one.
 */
export function linkTag(
  tx: Tx,
  at: AssetAt,
  { tagNo, label, supersede }: NewLink,
): { readonly asset: AssetRecord; readonly ended: AssetRecord | null } {
  const { orgId, now } = at;
  if (at.asset.status === 'retired') throw refusalFor('asset-retired', at.asset.status);
  const holderId = tx.get(tables.assetByTag, tagNo);
  if (holderId !== undefined && !supersede)
    throw refuse('tag-linked', 'The tag is linked to an asset already.');
  const other =
    holderId === undefined || holderId === at.asset.id ? undefined : tx.get(tables.assets, [orgId, holderId]);
  if (other) {
    unlinkTag(tx, { ...at, asset: other });
    recordTagTaken(tx, { ...at, asset: other });
  }
  const free = at.asset.tagNo === tagNo ? at.asset : unlinkTag(tx, at);
  // A label that repeats the name would stay behind when the asset is renamed.
  const tagLabel = label === free.name ? null : label;
  const asset: AssetRecord = { ...free, tagNo, tagLabel, linkedAt: now };
  tx.put(tables.assets, [orgId, asset.id], asset);
  tx.put(tables.assetByTag, tagNo, asset.id);
  return { asset, ended: other ?? null };
}

/**
 * Ends the link an asset has, if it has one. What is missing and has no tag can't be found by reads: it stays missing until
 * it is checked out or its next tag is seen, but nobody is alarmed any longer. That it left the zone is for the caller to
 * write: with a next tag it is a move.
 */
export function unlinkTag(tx: Tx, { orgId, asset, now }: AssetAt): AssetRecord {
  if (asset.tagNo === null) return asset;
  if (asset.status === 'missing') resolveProblem(tx, { orgId, problem: missingProblem(asset.id), now });
  tx.remove(tables.assetByTag, asset.tagNo);
  const after: AssetRecord = { ...asset, ...notLinked };
  tx.put(tables.assets, [orgId, asset.id], after);
  return after;
}

/**
 * Takes the tag off an asset because somebody says so; nothing happens to one that has none. The timeline has it as an edit
 * of `epc`, after the zone the asset has left by it. Throws `asset-retired`.
 */
export function takeTagOff(tx: Tx, at: AssetAt): AssetRecord {
  const { asset, now } = at;
  if (asset.status === 'retired') throw refusalFor('asset-retired', asset.status);
  if (asset.tagNo === null) return asset;
  const after = unlinkTag(tx, at);
  recordTagTaken(tx, at);
  const changes = { epc: { from: tx.get(tables.tags, asset.tagNo)?.epc ?? '', to: '' } };
  const meta = { name: asset.name, updated: true, changes } as const;
  appendTimeline(tx, asset.id, { kind: 'created', at: now, meta });
  return after;
}

function takeNumber(tx: Tx, orgId: string, { id, assetTagNumber }: AssetRecord): void {
  const key = numberKey(orgId, assetTagNumber);
  if (tx.get(tables.assetByNumber, key) !== undefined)
    throw refuse('asset-number-taken', 'Another asset has this assetTagNumber.');
  tx.put(tables.assetByNumber, key, id);
}

/**
 * Numbers are equal when they are so character by character. A person's text is too long for a key and may hold what a key
 * must not, so its hash stands for it; of UTF-16, which tells even broken texts apart.
 */
function numberKey(orgId: string, assetTagNumber: string): readonly [string, string] {
  return [orgId, createHash('sha256').update(assetTagNumber, 'utf16le').digest('hex')];
}
