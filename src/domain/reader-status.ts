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

/** What a reader's status follows from. Times are epoch ms by the service's clock, null = never. */
export interface ReaderSigns {
  /** False once someone has stopped it. */
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
  const obeys = signs.commandsSupported && !signs.lastCommandFailed;
  const readsArrive = signs.lastEventAt !== null && isRecent(signs.lastEventAt, rules);
  return { status: readsArrive && !obeys ? 'degraded' : 'online', offlineReason: null };
}

/** Whether the reader's connection is open now. `changedAt`: when it last opened or closed, null = never. */
export function brokerStatus(connections: number, changedAt: number | null): BrokerStatus {
  if (connections > 0) return 'connected';
  return changedAt === null ? 'never' : 'disconnected';
}

function isRecent(at: number, { noDataMs, now }: StatusRules): boolean {
  return noDataMs === 0 || now - at <= noDataMs;
}
