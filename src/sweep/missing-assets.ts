import { type AssetStatus, isOverdue, isSeenAgain } from '../domain/asset.ts';
import { limits } from '../domain/limits.ts';
import { formatInstant } from '../lib/instant.ts';
import { Pace } from '../lib/pace.ts';
import { type Problem, raiseAlert, resolveProblem } from '../store/alerts.ts';
import type { AssetLinks, KnownAsset } from '../store/asset-links.ts';
import { timelineOf, type ZoneFinder, zoneFinder } from '../store/asset-timeline.ts';
import { type AssetAt, missingProblem, stepAsset } from '../store/assets.ts';
import { appendAudit } from '../store/audit.ts';
import type { AssetRecord } from '../store/records.ts';
import type { Reading, Store, Tx } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import type { TagStates } from '../store/tag-states.ts';

export interface MissingSweepOptions {
  readonly store: Store;
  readonly links: AssetLinks;
  readonly states: TagStates;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
  /** How long the tag of an available asset may go unseen, ms; 0 = for ever. */
  readonly missingAfterMs: number;
  /**
   * After a start, tags not seen since get so long (never longer than `missingAfterMs`) before they count as unseen: readers
   * keep what they read while the service was down and send it when they are back. 60,000 when left out.
   */
  readonly graceMs?: number;
}

const GRACE_MS = 60_000;
/** Assets decided in one transaction: some milliseconds. */
const SLICE = 50;

interface Due {
  readonly asset: KnownAsset;
  /** Null: its tag is gone, so that its alert means nothing any longer. */
  readonly trigger: 'mark_missing' | 'find' | null;
}

/**
 * Marks available assets missing whose tag was not seen for too long (nor the asset in somebody's hand), raising an alert,
 * and takes them back when it is seen again, resolving it. Call `run` every second. The time the service was down counts as
 * not seen, after a grace.
 */
export function createMissingSweep(options: MissingSweepOptions): { run(): Promise<void> } {
  const { missingAfterMs, graceMs = GRACE_MS, now } = options;
  const startedAt = now();
  const graceEndsAt = startedAt + Math.min(graceMs, missingAfterMs);
  const triggerOf = triggerFinder(options, { startedAt, graceEndsAt });
  return {
    run: async () => {
      const due = await findDue(options, triggerOf);
      for (let from = 0; from < due.length; from += SLICE) {
        const slice = due.slice(from, from + SLICE);
        await options.store.write((tx) => {
          const zoneOf = zoneFinder(tx);
          for (const one of slice) settle(options, tx, { one, triggerOf, zoneOf });
        });
      }
    },
  };
}

type Candidate = Pick<AssetRecord, 'id' | 'status' | 'tagNo' | 'linkedAt' | 'missedAt'>;
type TriggerFinder = (reading: Reading, asset: Candidate) => 'mark_missing' | 'find' | null;

/** What the sightings of its tag make of an asset at this moment. */
function triggerFinder(
  { states, missingAfterMs, now }: MissingSweepOptions,
  { startedAt, graceEndsAt }: { readonly startedAt: number; readonly graceEndsAt: number },
): TriggerFinder {
  return (reading, { id, status, tagNo, linkedAt, missedAt = 0 }) => {
    if (tagNo === null) return null;
    const sighting = { lastSeenAt: states.lastSeenAt(tagNo), now: now(), missingAfterMs };
    if (status === 'missing') return isSeenAgain(sighting, missedAt) ? 'find' : null;
    if (!isOverdue(sighting, linkedAt ?? 0)) return null;
    if (sighting.lastSeenAt < startedAt && sighting.now < graceEndsAt) return null;
    return checkedInSince(reading, id, sighting.now - missingAfterMs) ? null : 'mark_missing';
  };
}

/** Asked last and seldom: the timeline of an asset that nobody saw since then is short. */
function checkedInSince(reading: Reading, assetId: string, since: number): boolean {
  const timeline = timelineOf(reading, assetId, { limit: limits.timelinePerAnswer, since });
  return timeline.some(({ kind }) => kind === 'check_in');
}

async function findDue(
  { store, links }: MissingSweepOptions,
  triggerOf: TriggerFinder,
): Promise<readonly Due[]> {
  const due: Due[] = [];
  const pace = new Pace();
  let seen = 0;
  for (const asset of links.watched()) {
    const trigger = triggerOf(store, asset);
    if (trigger || hasIdleAlert(store, asset)) due.push({ asset, trigger });
    // Asking for the time costs as much as looking at an asset.
    if (++seen % 256 === 0 && pace.due) await pace.pause();
  }
  return due;
}

/** A missing asset whose tag was deleted: no read can end its alert. */
function hasIdleAlert(store: Store, { status, tagNo, orgId, id }: KnownAsset): boolean {
  if (status !== 'missing' || tagNo !== null) return false;
  return store.get(tables.alertByProblem, [orgId, missingProblem(id)]) !== undefined;
}

interface Settling {
  readonly one: Due;
  readonly triggerOf: TriggerFinder;
  readonly zoneOf: ZoneFinder;
}

/** Decides again on what the asset is inside the transaction: somebody may have been quicker. */
function settle(options: MissingSweepOptions, tx: Tx, { one, triggerOf, zoneOf }: Settling): void {
  const { orgId, id } = one.asset;
  const asset = tx.get(tables.assets, [orgId, id]);
  if (!asset) return;
  const at: AssetAt = { orgId, asset, now: options.now() };
  if (one.trigger === null) {
    if (asset.status === 'missing' && asset.tagNo === null)
      resolveProblem(tx, { ...at, problem: missingProblem(id) });
    return;
  }
  if (triggerOf(tx, asset) !== one.trigger) return;
  const { lastSeenAt, zoneNo } = options.states.get(asset.tagNo ?? 0);
  const meta = { lastSeenAt: formatInstant(lastSeenAt) };
  const set = one.trigger === 'mark_missing' ? { missedAt: Math.floor(lastSeenAt) } : {};
  const after = stepAsset(tx, at, { trigger: one.trigger, set, meta });
  if (!after) return;
  const message = messageOf(asset, lastSeenAt, zoneOf(orgId, zoneNo)?.name);
  if (one.trigger === 'mark_missing') raiseAlert(tx, problemOf(at, message), { ...options, now: at.now });
  note(tx, at, { trigger: one.trigger, status: after.status });
}

function problemOf({ orgId, asset: { id } }: AssetAt, message: string): Problem {
  const subject = { subjectType: 'asset', subjectId: id, problem: missingProblem(id) } as const;
  return { orgId, ruleKind: 'asset_missing', severity: 'warning', ...subject, message };
}

function messageOf(asset: AssetRecord, lastSeenAt: number, zoneName: string | undefined): string {
  const since = formatInstant(lastSeenAt).replace('T', ' ').replace(/\..*/, ' UTC');
  const place = zoneName === undefined ? '' : ` It was last in ${zoneName}.`;
  return `${asset.name} (${asset.assetTagNumber}) has not been seen since ${since}.${place}`;
}

function note(
  tx: Tx,
  { orgId, asset, now }: AssetAt,
  { trigger, status }: { readonly trigger: 'mark_missing' | 'find'; readonly status: AssetStatus },
): void {
  appendAudit(tx, {
    ...{ orgId, at: now, actor: { kind: 'system', id: '' } },
    action: trigger === 'find' ? 'find' : 'mark-missing',
    resource: `assets/${asset.id}`,
    before: { status: asset.status },
    after: { status },
  });
}
