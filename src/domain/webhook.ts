import type { AlertState } from './alert.ts';
import { type AssetEventKind, assetEventKinds } from './asset.ts';

/** What the service can tell others. An asset's event is called like its entry on the timeline; an edit is `asset_updated`. */
export const webhookEventTypes = [
  'alert_opened',
  'alert_acked',
  'alert_resolved',
  'tag_moved',
  'asset_updated',
  ...assetEventKinds.map((kind) => `asset_${kind}` as const),
] as const;
export type WebhookEventType = 'asset_updated' | `asset_${AssetEventKind}` | AlertEventType | 'tag_moved';
/** Whether an event is one of an alert. */
export function isAlertEvent(type: WebhookEventType): boolean {
  return type.startsWith('alert_');
}

type AlertEventType = 'alert_opened' | 'alert_acked' | 'alert_resolved';

export const alertSeverities = ['critical', 'warning'] as const;
type Severity = (typeof alertSeverities)[number];

/** What a subscription wants to be told; null = no narrowing. */
export interface WebhookFilter {
  readonly types: readonly WebhookEventType[];
  /** Of events that happen in zones: moves of tags, and of assets. */
  readonly zoneIds: readonly string[] | null;
  /** Of events, and alerts, of assets. */
  readonly assetIds: readonly string[] | null;
  /** Of alerts. */
  readonly severities: readonly Severity[] | null;
}

/** What of an event decides who wants it; a member it has no value for is absent. */
export interface WebhookTraits {
  readonly type: WebhookEventType;
  /** A move has two. */
  readonly zoneIds?: readonly string[];
  readonly assetId?: string;
  readonly severity?: Severity;
}

/** Whether a subscription wants an event. A filter narrows only events that have what it filters by. */
export function wantsEvent(filter: WebhookFilter, traits: WebhookTraits): boolean {
  const { zoneIds, assetId, severity } = traits;
  if (!filter.types.includes(traits.type)) return false;
  if (filter.zoneIds && zoneIds && !zoneIds.some((id) => filter.zoneIds?.includes(id))) return false;
  if (filter.assetIds && assetId !== undefined && !filter.assetIds.includes(assetId)) return false;
  return !(filter.severities && severity !== undefined && !filter.severities.includes(severity));
}

const alertTypes: Readonly<Record<AlertState, WebhookEventType>> = {
  open: 'alert_opened',
  acked: 'alert_acked',
  resolved: 'alert_resolved',
};

/** What is told when an alert comes to stand there. */
export function alertEventType(state: AlertState): WebhookEventType {
  return alertTypes[state];
}

const FIRST_RETRY_MS = 5000;
/** The longest pause between two attempts, but for the jitter. */
const LAST_RETRY_MS = 3_600_000;
const JITTER = 0.2;

/** How long a receiver is left alone that asks for so many ms: up to an hour, as with every pause. */
export function askedPauseMs(retryAfterMs: number): number {
  return Math.min(retryAfterMs, LAST_RETRY_MS);
}

/** Later than any pause there is: such a time was set by a clock that was set back since. */
export const WEBHOOK_PAUSE_MAX_MS = LAST_RETRY_MS * (1 + JITTER);

/** How long to wait after so many attempts in vain (from 1), ms: 5 s, doubled each time, up to an hour, up to a fifth longer. */
export function retryPauseMs(attempts: number, random: number): number {
  const pause = Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 20), LAST_RETRY_MS);
  return Math.round(pause * (1 + JITTER * random));
}

/** Longer than an outage over a weekend. */
const GIVEN_UP_AFTER_MS = 72 * 3_600_000;
const ATTEMPTS_MIN = 8;

/**
 * Whether an event is given up: it waited for three days and was tried eight times at least, so that neither a service that
 * was down nor a clock set forward gives up what was hardly tried. What happened long before it was known, or was a dead
 * letter before, waits as long.
 */
export function isGivenUp(
  { queuedAt, attempts }: { readonly queuedAt: number; readonly attempts: number },
  now: number,
): boolean {
  return attempts >= ATTEMPTS_MIN && now - queuedAt >= GIVEN_UP_AFTER_MS;
}

/** About twenty minutes of attempts: longer than servers make unknown senders wait. */
const LATE_ATTEMPTS = 9;

/**
 * Whether recipients that have to wait are given up once others got the e-mail: everything of a subscription goes out in one
 * order, and a mailbox that stays full must not keep the next alert from all the others.
 */
export function areLateRecipientsGivenUp(attempts: number): boolean {
  return attempts >= LATE_ATTEMPTS;
}

const FAILURES_IN_A_ROW = 3;
const REST_MAX_MS = 60_000;

/**
 * How long to leave a receiver alone after so many failures in a row, whatever they were about, ms: it is down, and trying
 * every waiting event would be for nothing. Up to a minute, so that it is told soon once it is back.
 */
export function receiverRestMs(failures: number): number {
  return isReceiverDown(failures)
    ? Math.min(retryPauseMs(failures - FAILURES_IN_A_ROW + 1, 0), REST_MAX_MS)
    : 0;
}

/** Whether a receiver counts as down after so many failures in a row: it then gets one attempt at a time. */
export function isReceiverDown(failures: number): boolean {
  return failures >= FAILURES_IN_A_ROW;
}

const MAIL_EVERY_MS = 60_000;
const MAIL_GATHERS_MS = 5000;

/** When a subscription's next e-mail may go out. Times are epoch ms; null = never, nothing. */
export interface MailTimes {
  /** When the last one was taken by the mail server. */
  readonly sentAt: number | null;
  /** Since when something waits that was not tried yet. */
  readonly waitsSince: number | null;
  /** An alert is among what waits. */
  readonly isUrgent: boolean;
}

/**
 * Whether an e-mail may go out: one a minute, and five seconds after the first of what waits, so that the tags of a pallet
 * come together; an alert does not wait for others. A clock that was set back holds up nothing.
 */
export function isMailDue({ sentAt, waitsSince, isUrgent }: MailTimes, now: number): boolean {
  const isOver = (at: number, ms: number): boolean => now < at || now - at >= ms;
  if (sentAt !== null && !isOver(sentAt, MAIL_EVERY_MS)) return false;
  return isUrgent || waitsSince === null || isOver(waitsSince, MAIL_GATHERS_MS);
}
