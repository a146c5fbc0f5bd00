export const readerStatuses = ['online', 'degraded', 'offline', 'disabled', 'unknown'] as const;
export type ReaderStatus = (typeof readerStatuses)[number];

export const offlineReasons = [
  'never-connected',
  'broker-disconnected',
  'no-data',
  'radio-idle',
  'stopped',
] as const;
export type OfflineReason = (typeof offlineReasons)[number];

export const brokerStatuses = ['never', 'connected', 'disconnected'] as const;
export type BrokerStatus = (typeof brokerStatuses)[number];

/** The contract's "Hub display statuses", as the hub shows them. */
export const displayStatuses = ['Online and Reading', 'Online and Idle', 'Degraded', 'Offline'] as const;
export type DisplayStatus = (typeof displayStatuses)[number];

/** Tags arrive while the last read is not older than this, ms; a tag in view is reported every few seconds. */
export const tagsArrivingMs = 60_000;

/** What a reader's status follows from. Times are epoch ms by the service's clock, null = never. */
export interface ReaderSigns {
  /** False once its radio is not wanted: see `isRadioWanted`. */
  readonly enabled: boolean;
  /** Any sign of life: a message or a connection. Only the running service's open connections count as such. */
  readonly lastSeenAt: number | null;
  /** Tag data, or events of the radio. */
  readonly lastEventAt: number | null;
  /** Connections open now. */
  readonly connections: number;
  /** What the radio does, as the reader last said since it connected; null = it did not say. */
  readonly radio: 'running' | 'armed' | 'idle' | null;
  /** An agent has confirmed that it takes commands. */
  readonly commandsSupported: boolean;
  readonly lastCommandFailed: boolean;
}

/** How long a reader may be silent before it counts as offline, ms; 0 = for ever. `now` is epoch ms. */
export interface StatusRules {
  readonly noDataMs: number;
  readonly now: number;
}

/** A reader that is not online says why; `degraded` has no reason of its own. */
export interface DerivedStatus {
  readonly status: ReaderStatus;
  readonly offlineReason: OfflineReason | null;
}

/**
 * Whether a reader's radio is to be on: nobody has stopped it, and at least one of its ports is used. With all ports off
 * there is no preset to run, so such a reader is stopped whatever its `enabled` says. Ports not on record count as used.
 */
export function isRadioWanted(
  enabled: boolean,
  antennas: readonly { readonly enabled: boolean }[] | undefined,
): boolean {
  return enabled && (antennas === undefined || antennas.some((antenna) => antenna.enabled));
}

/**
 * A reader's status at the moment of asking, first match: stopped, never heard of, not connected, radio idle although it
 * should run, silent for too long, reads without an agent that takes commands, else online. Pure. A connection counts as a
 * sign of life, so a reader that has just connected (as all have after a start) gets the whole silence before `no-data`.
 */
export function readerStatus(signs: ReaderSigns, rules: StatusRules): DerivedStatus {
  if (!signs.enabled) return { status: 'disabled', offlineReason: 'stopped' };
  if (signs.lastSeenAt === null) return { status: 'unknown', offlineReason: 'never-connected' };
  if (signs.connections === 0) return { status: 'offline', offlineReason: 'broker-disconnected' };
  if (signs.radio === 'idle') return { status: 'offline', offlineReason: 'radio-idle' };
  if (!isRecent(signs.lastSeenAt, rules)) return { status: 'offline', offlineReason: 'no-data' };
  const readsArrive = signs.lastEventAt !== null && isRecent(signs.lastEventAt, rules);
  return { status: readsArrive && !obeys(signs) ? 'degraded' : 'online', offlineReason: null };
}

/**
 * (extension) The same in the words of the hub, for every combination of signs:
 * - `Offline` (no telemetry): never heard of, not connected (stopped or not), or silent for too long.
 * - `Degraded`: as the status; and a stopped reader that sends reads all the same because no agent takes its stop.
 * - `Online and Idle`: connected and either stopped, its radio idle, or without a read for `tagsArrivingMs`.
 * - `Online and Reading`: online with a read that recent. Pure.
 */
export function displayStatus(signs: ReaderSigns, rules: StatusRules): DisplayStatus {
  const { status, offlineReason } = readerStatus(signs, rules);
  switch (offlineReason) {
    case 'never-connected':
    case 'broker-disconnected':
    case 'no-data':
      return 'Offline';
    case 'radio-idle':
      return 'Online and Idle';
    case 'stopped':
      return stoppedDisplay(signs, rules.now);
    case null:
      if (status === 'degraded') return 'Degraded';
      return tagsArrive(signs, rules.now) ? 'Online and Reading' : 'Online and Idle';
  }
}

function stoppedDisplay(signs: ReaderSigns, now: number): DisplayStatus {
  if (signs.lastSeenAt === null || signs.connections === 0) return 'Offline';
  const goesOn = tagsArrive(signs, now) && signs.radio !== 'idle';
  // Reads that were on their way when the stop was made arrive after it; only a reader that does not obey goes on.
  return goesOn && !obeys(signs) ? 'Degraded' : 'Online and Idle';
}

function obeys({ commandsSupported, lastCommandFailed }: ReaderSigns): boolean {
  return commandsSupported && !lastCommandFailed;
}

function tagsArrive({ lastEventAt }: ReaderSigns, now: number): boolean {
  return lastEventAt !== null && isRecent(lastEventAt, { noDataMs: tagsArrivingMs, now });
}

/** Whether the reader's connection is open now. `changedAt`: when it last opened or closed, null = never. */
export function brokerStatus(connections: number, changedAt: number | null): BrokerStatus {
  if (connections > 0) return 'connected';
  return changedAt === null ? 'never' : 'disconnected';
}

function isRecent(at: number, { noDataMs, now }: StatusRules): boolean {
  return noDataMs === 0 || now - at <= noDataMs;
}
