/** GET /system/health. */
export interface SystemHealth {
  readonly version: string;
  readonly startedAt: string;
  readonly node: string;
  readonly hostname: string;
  readonly ready: { readonly ok: boolean; readonly reasons: readonly string[] };
  readonly memory: { readonly rssBytes: number; readonly heapBytes: number };
  readonly disk: {
    readonly freeBytes: number;
    readonly totalBytes: number;
    readonly floorBytes: number;
  } | null;
  readonly store: { readonly bytes: number | null; readonly tags: number; readonly schemaVersion: number };
  readonly ingest: {
    readonly readsPerSecond: number;
    readonly waiting: number;
    readonly refused: number;
    readonly dropped: number;
  };
  readonly streams: number;
  readonly brokerConnections: number;
  readonly eventLoopLagMs: { readonly p99: number };
}

/** GET /system/doctor. */
export interface DoctorAnswer {
  readonly at: string;
  readonly findings: readonly {
    readonly check: string;
    readonly level: 'ok' | 'note' | 'warning' | 'fault';
    readonly text: string;
    readonly advice?: string;
  }[];
}

/** GET /system/backups. */
export interface BackupsAnswer {
  readonly schedule: {
    readonly folder: string;
    readonly at: string;
    readonly everyHours: number;
    readonly keep: number;
    readonly encrypted: boolean;
  } | null;
  readonly running: boolean;
  readonly last: {
    readonly at: string;
    readonly ok: boolean;
    readonly file?: string;
    readonly bytes?: number;
    readonly error?: string;
  } | null;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly at: string }[];
  readonly problem?: string;
}

/** One of GET /system/configuration. */
export interface ConfigurationEntry {
  readonly key: string;
  readonly value: string;
  readonly default: string;
  readonly isDefault: boolean;
  readonly help: string;
}

/** GET /organisation. */
export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}
