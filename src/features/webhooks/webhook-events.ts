import { alertAnswer } from '../../contract/alert.ts';
import { assetEventAnswer } from '../../contract/asset.ts';
import type { TagMovedEvent } from '../../contract/events.ts';
import { textOf } from '../../domain/value.ts';
import { alertEventType, type WebhookTraits } from '../../domain/webhook.ts';
import { formatInstant } from '../../lib/instant.ts';
import { type AssetMove, type ZoneFinder, zoneFinder } from '../../store/asset-timeline.ts';
import { fieldsOf } from '../../store/fields.ts';
import type { AlertRecord, AssetEventRecord } from '../../store/records.ts';
import type { Reading, Store, Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { currentValues } from '../../store/tag-data.ts';
import { hasWebhook, type NewWebhookEvent, putEvent } from '../../store/webhooks.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface WebhookEventsOptions {
  readonly store: Store;
  readonly subscriptions: Subscriptions;
  /** False: a subscription has so much waiting that nothing more is taken for it. Asked within writes. */
  readonly hasRoom: (webhookId: string) => boolean;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
}

/** A tag's change of zone, as ingest tells it. */
export interface TagMove {
  readonly orgId: string;
  readonly tagNo: number;
  readonly move: AssetMove;
}

/** An event before it is known who wants it. */
interface Occurrence {
  readonly orgId: string;
  readonly traits: WebhookTraits;
  readonly event: Omit<NewWebhookEvent, 'type' | 'queuedAt'>;
}

/**
 * Puts what subscriptions want to be told into the outbox, in the very transaction of what it tells: alerts and timeline
 * entries by following their tables, moves of tags by the function it answers, which is for ingest's `onMoves`.
 */
export function webhookEvents(options: WebhookEventsOptions): (tx: Tx, moves: readonly TagMove[]) => void {
  const { store, subscriptions } = options;
  store.accompany(tables.alerts, (tx, [orgId], alert) => {
    if (!subscriptions.none) put(options, tx, alertOccurrence(orgId, alert));
  });
  store.accompany(tables.assetEvents, (tx, key, entry) => {
    if (!subscriptions.none) putAssetEvent(options, tx, { key, entry });
  });
  return (tx, moves) => {
    if (!subscriptions.none) putMoves(options, tx, moves);
  };
}

/** Of a move to be told to somebody, and of each who is told, in reads of known tags. */
const TOLD_WEIGHT = 3;
const EVENT_WEIGHT = 2;

/** What telling of one move costs, in reads of known tags, for ingest's batches. */
export function moveWeight(subscriptions: Subscriptions, orgId: string): number {
  const told = subscriptions.countFor(orgId, 'tag_moved');
  return told === 0 ? 0 : TOLD_WEIGHT + told * EVENT_WEIGHT;
}

function put(options: WebhookEventsOptions, tx: Tx, { orgId, traits, event }: Occurrence): void {
  const { subscriptions, hasRoom, now, newId } = options;
  const { type } = traits;
  const { subject, at, data } = event;
  const queuedAt = now();
  for (const { id } of subscriptions.wanting(orgId, traits)) {
    // Memory may be a moment behind: one that is deleted by now must leave nothing.
    if (!hasRoom(id) || !hasWebhook(tx, orgId, id)) continue;
    // Written out: a batch of moves has thousands, and copying members one by one is much of what they cost.
    putEvent(tx, id, { id: newId(), type, subject, at, queuedAt, data });
  }
}

function alertOccurrence(orgId: string, alert: AlertRecord): Occurrence {
  const { severity, subjectType, subjectId, state, openedAt, ackedAt, resolvedAt } = alert;
  const at = { open: openedAt, acked: ackedAt, resolved: resolvedAt }[state] ?? openedAt;
  const about = subjectType === 'asset' ? { assetId: subjectId } : {};
  return {
    orgId,
    traits: { type: alertEventType(state), severity, ...about },
    event: { subject: `alert:${subjectId}`, at, data: alertAnswer(alert) },
  };
}

interface Written {
  readonly key: readonly [assetId: string, at: number, no: number];
  readonly entry: AssetEventRecord;
}

const isOfAssets = (type: string): boolean => type.startsWith('asset_');

/** A timeline does not say whose it is: the few organisations that want to be told are asked whether they have the asset. */
function putAssetEvent(options: WebhookEventsOptions, tx: Tx, { key, entry }: Written): void {
  const [assetId, at, no] = key;
  const orgIds = options.subscriptions.organisationsFor(isOfAssets);
  const orgId = orgIds.find((id) => tx.get(tables.assets, [id, assetId]) !== undefined);
  if (orgId === undefined) return;
  const type = entry.meta.updated === true ? 'asset_updated' : (`asset_${entry.kind}` as const);
  const place = entry.zoneId === undefined ? {} : { zoneIds: [entry.zoneId] };
  const data = { assetId, ...assetEventAnswer({ at, no, ...entry }) };
  put(options, tx, {
    orgId,
    traits: { type, assetId, ...place },
    event: { subject: `asset:${assetId}`, at, data },
  });
}

function putMoves(options: WebhookEventsOptions, tx: Tx, moves: readonly TagMove[]): void {
  const told = new Set(options.subscriptions.organisationsFor((type) => type === 'tag_moved'));
  if (told.size === 0) return;
  const zoneOf = zoneFinder(tx);
  const labelOf = labelFinder(tx);
  for (const tagMove of moves) {
    if (!told.has(tagMove.orgId)) continue;
    const data = movedData(tx, tagMove, { zoneOf, labelOf });
    if (!data) continue;
    const zoneIds = [data.toZoneId, ...(data.fromZoneId === undefined ? [] : [data.fromZoneId])];
    put(options, tx, {
      orgId: tagMove.orgId,
      traits: { type: 'tag_moved', zoneIds },
      event: { subject: `tag:${tagMove.tagNo}`, at: tagMove.move.at, data },
    });
  }
}

type LabelFinder = (orgId: string, tagNo: number) => string | undefined;

/** As the live stream has it; null when the zone is gone by now. */
function movedData(
  tx: Tx,
  { orgId, tagNo, move }: TagMove,
  { zoneOf, labelOf }: { readonly zoneOf: ZoneFinder; readonly labelOf: LabelFinder },
): TagMovedEvent | null {
  const to = zoneOf(orgId, move.to);
  const tag = tx.get(tables.tags, tagNo);
  if (!to || !tag) return null;
  const from = zoneOf(orgId, move.from);
  return {
    ...{ tagId: tag.id, epc: tag.epc, label: labelOf(orgId, tagNo) },
    ...(from && { fromZoneId: from.id }),
    ...{ toZoneId: to.id, zoneName: to.name, at: formatInstant(move.at) },
  };
}

/** A finder for one transaction: what holds the names of an organisation's tags is looked up once. */
function labelFinder(reading: Reading): LabelFinder {
  const fields = new Map<string, number | null>();
  return (orgId, tagNo) => {
    const known = fields.get(orgId);
    const field =
      known === undefined ? (fieldsOf(reading, orgId).find((one) => one.isLabel)?.no ?? null) : known;
    fields.set(orgId, field);
    const value = field === null ? undefined : currentValues(reading, tagNo).get(field)?.value;
    return value === undefined ? undefined : textOf(value);
  };
}
