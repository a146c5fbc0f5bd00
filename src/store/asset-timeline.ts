import type { AssetEventKind } from '../domain/asset.ts';
import { limits } from '../domain/limits.ts';
import { ofOrg } from './of-org.ts';
import type { AssetEventRecord, AssetRecord, ZoneRecord } from './records.ts';
import type { Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

/** A new entry of a timeline; `at` is epoch ms, fractions allowed. */
export interface NewTimelineEntry {
  readonly kind: AssetEventKind;
  readonly at: number;
  readonly zone?: ZoneRecord;
  readonly meta?: AssetEventRecord['meta'];
}

export function appendTimeline(
  tx: Tx,
  assetId: string,
  { kind, at, zone, meta = {} }: NewTimelineEntry,
): void {
  const place = zone && { zoneId: zone.id, zoneName: zone.name };
  const record: AssetEventRecord = { kind, ...place, meta: zone ? { zoneName: zone.name, ...meta } : meta };
  tx.put(tables.assetEvents, [assetId, at, tx.next('lastAssetEventNo')], record);
}

/** An entry of a timeline: when it happened (epoch ms) and its number. */
export interface TimelineEntry extends AssetEventRecord {
  readonly at: number;
  readonly no: number;
}

export interface TimelineQuery {
  readonly limit: number;
  /** Only what comes after this entry: an epoch ms and a number. */
  readonly after?: { readonly key: number; readonly no: number } | undefined;
  /** Only what happened at this time or later, epoch ms. */
  readonly since?: number;
}

/** An asset's timeline, newest first. Take it at once. */
export function timelineOf(
  reading: Reading,
  assetId: string,
  { limit, after, since }: TimelineQuery,
): readonly TimelineEntry[] {
  const start = after ? [assetId, after.key, after.no - 1] : [assetId, Number.MAX_VALUE];
  const end = since === undefined ? [assetId] : [assetId, since];
  const range = reading.range(tables.assetEvents, { start, end, reverse: true, limit });
  return Array.from(range, ({ key: [, at, no], value }) => ({ ...value, at, no }));
}

/** Finds an organisation's zone by its number; undefined once it is deleted. */
export type ZoneFinder = (orgId: string, zoneNo: number) => ZoneRecord | undefined;

/** A finder for one transaction: it reads an organisation's zones when one of them is asked for, and only once. */
export function zoneFinder(reading: Reading): ZoneFinder {
  const known = new Map<string, ReadonlyMap<number, ZoneRecord>>();
  return (orgId, zoneNo) => {
    const zones =
      known.get(orgId) ?? new Map(ofOrg(reading, tables.zones, orgId).map((zone) => [zone.no, zone]));
    known.set(orgId, zones);
    return zones.get(zoneNo);
  };
}

/** A change of zone of an asset's tag; zones by number, 0 = none. `at` is epoch ms. */
export interface AssetMove {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** Writes on the timeline that an asset left one zone and came to another. A zone that is deleted is not named. */
export function recordMove(
  tx: Tx,
  {
    orgId,
    asset,
    zoneOf,
  }: { readonly orgId: string; readonly asset: AssetRecord; readonly zoneOf: ZoneFinder },
  { from, to, at }: AssetMove,
): void {
  if (from === to || to === 0) return;
  const [left, entered] = [zoneOf(orgId, from), zoneOf(orgId, to)];
  if (left) appendTimeline(tx, asset.id, { kind: 'zone_exit', at, zone: left });
  if (entered) appendTimeline(tx, asset.id, { kind: 'zone_enter', at, zone: entered });
}

/**
 * Writes that an asset left the zone its timeline has it in, as its tag is taken from it at `now` (epoch ms) and nothing
 * says any longer where it is. A zone that is deleted is not named. Entered more than a page of entries ago, it stays.
 */
export function recordTagTaken(
  tx: Tx,
  { orgId, asset, now }: { readonly orgId: string; readonly asset: AssetRecord; readonly now: number },
): void {
  const timeline = timelineOf(tx, asset.id, { limit: limits.timelinePerAnswer });
  const last = timeline.find(({ kind }) => kind === 'zone_enter' || kind === 'zone_exit');
  if (last?.kind !== 'zone_enter' || last.zoneId === undefined) return;
  const zone = tx.get(tables.zones, [orgId, last.zoneId]);
  // Reads have fractions of milliseconds: nobody leaves before entering.
  if (zone) appendTimeline(tx, asset.id, { kind: 'zone_exit', at: Math.max(now, last.at), zone });
}
