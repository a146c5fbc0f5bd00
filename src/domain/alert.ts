export const alertStates = ['open', 'acked', 'resolved'] as const;
/** Where an alert stands. */
export type AlertState = (typeof alertStates)[number];

/** Where a person may send an alert. */
export const alertTargets = ['acked', 'resolved'] as const;
export type AlertTarget = (typeof alertTargets)[number];

/** Every state by every request; null = refused (409). A resolved alert stays so: the same problem gets a new one. */
const requested = {
  open: { acked: 'acked', resolved: 'resolved' },
  acked: { acked: 'acked', resolved: 'resolved' },
  resolved: { acked: null, resolved: 'resolved' },
} as const satisfies Record<AlertState, Record<AlertTarget, AlertState | null>>;

/** The state an alert has after a person asked for `target`: the same one changes nothing, null is refused. */
export function nextAlertState(state: AlertState, target: AlertTarget): AlertState | null {
  return requested[state][target];
}

/** What tells the problems of a reader from all others: one alert at a time for each. */
export function readerProblems(readerId: string): { readonly offline: string; readonly hot: string } {
  return { offline: `offline:${readerId}`, hot: `hot:${readerId}` };
}

/** How far a reader has to cool down before its alert is resolved: an alert must not come and go with every figure. */
const HYSTERESIS_CELSIUS = 5;

/** What a temperature says of a reader; null: neither, whatever was said before still holds. */
export function heatOf(temperatureC: number, hotCelsius: number): 'hot' | 'cool' | null {
  if (temperatureC >= hotCelsius) return 'hot';
  return temperatureC <= hotCelsius - HYSTERESIS_CELSIUS ? 'cool' : null;
}

/** A stretch of being offline, and what an alert about it waits for. Times are epoch ms, spans ms. */
export interface OfflineSpell {
  /** When this run of the service first found the reader offline. */
  readonly since: number;
  /** Any sign of life; null = never. */
  readonly lastSeenAt: number | null;
  /** How long a reader is offline before that is an alert. */
  readonly offlineMs: number;
  /** When this run of the service began. */
  readonly startedAt: number;
}

const RECONNECT_MIN_MS = 5000;
const RECONNECT_MAX_MS = 30_000;

/**
 * Whether a reader has been offline long enough for an alert. One that this run of the service has not heard of yet gets
 * as long again (5 to 30 s): after a start nobody is connected, and readers take their time to come back.
 */
export function isOfflineDue(
  { since, lastSeenAt, offlineMs, startedAt }: OfflineSpell,
  now: number,
): boolean {
  const heardOf = lastSeenAt !== null && lastSeenAt > startedAt;
  const graceMs = heardOf ? 0 : Math.max(RECONNECT_MIN_MS, Math.min(offlineMs, RECONNECT_MAX_MS));
  return now - since >= offlineMs + graceMs;
}
