import * as kind from './kinds.ts';

const DAY_SECONDS = 86_400;
const TEN_YEARS_DAYS = 3650;

/**
 * Every option there is, declared once: the file's keys, the variables, the checks, the `Config` type and the README's
 * table come from here. No option holds a secret; private keys stay in files, some of which are named here.
 */
export const options = {
  dataDir: kind.path('data', 'Folder of the database and everything else the appliance keeps'),
  certsDir: kind.path('certs', "Folder of the certificate authority and the appliance's own certificates"),
  http: {
    host: kind.host('127.0.0.1', 'Address of plain HTTP; keep it on loopback, it is not encrypted'),
    port: kind.port(8080, 'Port of plain HTTP; 0 = any free one'),
  },
  https: {
    host: kind.host('0.0.0.0', 'Address of HTTPS'),
    port: kind.port(8443, 'Port of HTTPS; 0 = any free one'),
    certFile: kind.optionalPath(
      "PEM certificate chain of HTTPS; without it the appliance's own CA issues one",
    ),
    keyFile: kind.optionalPath('PEM private key that belongs to `https.certFile`'),
  },
  mqtts: {
    host: kind.host('0.0.0.0', "Address of the readers' broker (MQTT over mutual TLS)"),
    port: kind.port(8883, "Port of the readers' broker; 0 = any free one"),
    hostnames: kind.hosts([], "More names and addresses for the appliance's own certificates"),
  },
  pki: {
    passphraseFile: kind.optionalPath(
      "File with the passphrase that keeps the CA's private key encrypted on disk; without it the key is plain",
    ),
  },
  broker: {
    maxConnections: kind.integer(4096, 'Connections to the broker at one time; more are refused', {
      min: 1,
      max: 100_000,
    }),
  },
  ingest: {
    maxClockSkewSeconds: kind.number(
      5,
      "How far a read's time may lie ahead of the appliance's clock; further ahead, the time of arrival is used",
      { min: 0, max: DAY_SECONDS },
    ),
    maxTagsInView: kind.integer(
      200_000,
      'Tags followed at one time; past it the ones longest in view lose their running stretch of presence',
      { min: 1000, max: 10_000_000 },
    ),
  },
  storage: {
    minFreeMegabytes: kind.integer(
      16,
      'Free space below which nothing is written (at most a tenth of the volume): 507 for writes, reads are not acknowledged',
      { min: 1, max: 1_000_000 },
    ),
  },
  backup: {
    dir: kind.optionalPath(
      'Folder, best on another disk, that a backup is written to by schedule; it must be there; without it none is',
    ),
    at: kind.timeOfDay('02:00', 'When the first backup of a day is made; one that was missed is made soon'),
    everyHours: kind.shareOfDay(24, 'Hours from one backup to the next, counted from `backup.at` every day'),
    keep: kind.integer(14, 'Backups that stay in the folder; older ones go once a new one is whole', {
      min: 1,
      max: 10_000,
    }),
    passphraseFile: kind.optionalPath('File with the passphrase the backups are encrypted under'),
    plain: kind.flag(
      false,
      'Scheduled backups are not encrypted: whoever has one has the CA key and every password hash',
    ),
  },
  presence: {
    windowSeconds: kind.number(300, 'How long after its last read a tag counts as present in its zone', {
      min: 0.1,
      max: 30 * DAY_SECONDS,
    }),
    sessionGapSeconds: kind.number(10, 'Silence that ends a stretch of presence on one antenna', {
      min: 0.1,
      max: DAY_SECONDS,
    }),
  },
  location: {
    policy: kind.oneOf('immediate', 'What moves a tag: the newest read, or weighed evidence (`stable`)', [
      'immediate',
      'stable',
    ]),
  },
  live: {
    tagReadIntervalMs: kind.integer(1000, 'Time between two `tag_read` events of a tag that stays in view', {
      min: 1,
      max: DAY_SECONDS * 1000,
    }),
    heartbeatSeconds: kind.number(15, 'Time between two heartbeat comments on the event stream', {
      min: 0.1,
      max: 3600,
    }),
  },
  readers: {
    noDataSeconds: kind.number(300, 'A connected reader that is silent this long is offline; 0 = never', {
      min: 0,
      max: 30 * DAY_SECONDS,
    }),
  },
  commands: {
    ackTimeoutSeconds: kind.number(30, 'A command not acknowledged for this long has failed', {
      min: 0.1,
      max: DAY_SECONDS,
    }),
  },
  assets: {
    missingAfterMinutes: kind.number(
      1440,
      'An available asset not seen for this long is missing; 0 = never',
      {
        min: 0,
        max: TEN_YEARS_DAYS * 1440,
      },
    ),
  },
  alerts: {
    readerOfflineSeconds: kind.number(60, 'A reader offline for this long raises an alert', {
      min: 0,
      max: 30 * DAY_SECONDS,
    }),
    readerHotCelsius: kind.number(75, 'A reader this hot raises an alert, resolved 5 °C below', {
      min: -50,
      max: 200,
    }),
  },
  licence: {
    publicKey: kind.optionalEd25519Key("The vendor's key that licence tokens are checked with"),
  },
  retention: {
    visitsDays: kind.integer(90, "How long a tag's trail of zone visits is kept", {
      min: 1,
      max: TEN_YEARS_DAYS,
    }),
    alertsDays: kind.integer(365, 'How long resolved alerts are kept', { min: 1, max: TEN_YEARS_DAYS }),
    historyDays: kind.integer(730, "How long a tag's former field values are kept after they ended", {
      min: 1,
      max: TEN_YEARS_DAYS,
    }),
    timelineDays: kind.integer(1825, 'How long the timeline of an asset is kept after it was retired', {
      min: 1,
      max: TEN_YEARS_DAYS,
    }),
    auditDays: kind.integer(730, 'How long the audit log is kept', { min: 1, max: TEN_YEARS_DAYS }),
  },
  log: {
    level: kind.oneOf('info', 'Least important records that are logged', [
      'trace',
      'debug',
      'info',
      'warn',
      'error',
      'fatal',
      'silent',
    ]),
  },
} as const;

/** What a declaration, or a section of it, becomes once every option has its value. */
export type ValuesOf<D> = {
  readonly [K in keyof D]: D[K] extends kind.Option<infer T> ? T : ValuesOf<D[K]>;
};

/** The checked configuration; paths are absolute. */
export type Config = ValuesOf<typeof options>;

/** One declared option with its dotted path and its variable (`http.port`, `TAGKEEP_HTTP__PORT`). */
export interface Declared {
  readonly key: string;
  readonly variable: string;
  readonly option: kind.AnyOption;
}

export const VARIABLE_PREFIX = 'TAGKEEP_';

function variableOf(key: string): string {
  const parts = key.split('.').map((part) => part.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase());
  return VARIABLE_PREFIX + parts.join('__');
}

/** A section of the declaration, or one option at its end. */
export type Declaration = kind.AnyOption | { readonly [name: string]: Declaration };

/** Tells an option from a section. */
export function isOption(node: Declaration): node is kind.AnyOption {
  return typeof node.read === 'function';
}

/** The option or section called `name` in a section; inherited names such as `constructor` are none. */
export function childOf(node: Declaration, name: string): Declaration | undefined {
  return isOption(node) || !Object.hasOwn(node, name) ? undefined : node[name];
}

function flatten(node: Declaration, key: string): readonly Declared[] {
  if (isOption(node)) return [{ key, variable: variableOf(key), option: node }];
  return Object.entries(node).flatMap(([name, child]) => flatten(child, key ? `${key}.${name}` : name));
}

/** Every option, in the order of declaration. */
export const declared: readonly Declared[] = flatten(options, '');
