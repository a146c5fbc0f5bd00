import { isIPv6 } from 'node:net';

/** A push that did not come to its end. The message is one line: what, why, what to do; never a secret. */
export class PushError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PushError';
  }
}

/** A wrong value of an option. */
export class PushUsageError extends PushError {}

/** Where a reader's files go when nothing else is said. No published description of the reader's interface has this call. */
export const defaultPushPath = '/api/v1/system/cap/files/rw_dir';

/** What the command line says of a push. */
export interface PushOptions {
  /** `https://HOST` or `https://HOST:PORT` of the reader's local REST interface. */
  readonly url: string;
  /** Below it: where a file `NAME` is written by `PUT {path}/NAME`. */
  readonly path?: string | undefined;
  readonly user: string;
  readonly password: string;
  /** `HOST[:PORT]` of the broker, for the reader's own MQTT client; undefined = that one stays as it is. */
  readonly broker?: string | undefined;
  /** For one call, ms; 10 s unless told. */
  readonly timeoutMs?: number | undefined;
}

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

/** A checked `PushOptions`. */
export interface PushTarget {
  /** `https://10.0.0.7`, for messages. */
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly user: string;
  readonly password: string;
  readonly broker: BrokerAddress | null;
  readonly timeoutMs: number;
}

const CALL_TIMEOUT_MS = 10_000;
const HTTPS_PORT = 443;
const MQTTS_PORT = 8883;
const PATH_MAX_LENGTH = 255;
const HOST_MAX_LENGTH = 253;
const PLAIN_PATH = /^(\/[A-Za-z0-9._~-]+)+$/;

/** Reads the options of a push; what cannot be one is a `PushUsageError` that names its option. */
export function pushTarget(options: PushOptions): PushTarget {
  const { user, password, timeoutMs = CALL_TIMEOUT_MS } = options;
  if (user.includes(':'))
    throw new PushUsageError('--reader-user holds a ":", which HTTP Basic does not allow');
  return {
    ...readerAddress(options.url),
    path: pathOf(options.path ?? defaultPushPath),
    user,
    password,
    broker: options.broker === undefined ? null : brokerAddress(options.broker),
    timeoutMs,
  };
}

function readerAddress(text: string): Pick<PushTarget, 'origin' | 'host' | 'port'> {
  const url = URL.canParse(text) ? new URL(text) : null;
  // Not quoted: it may be a password.
  if (url && (url.username !== '' || url.password !== ''))
    throw new PushUsageError('--push names a user; use --reader-user and --reader-password-stdin for that');
  const isPlain = url?.pathname === '/' && url.search === '' && url.hash === '';
  // The private key and the reader's password would be readable on the way.
  if (url?.protocol !== 'https:' || !isPlain)
    throw new PushUsageError(`--push is "${text}"; it is https://HOST or https://HOST:PORT`);
  return { origin: url.origin, host: bare(url.hostname), port: Number(url.port || HTTPS_PORT) };
}

function pathOf(path: string): string {
  const climbs = path.split('/').some((part) => part === '.' || part === '..');
  if (PLAIN_PATH.test(path) && !climbs && path.length <= PATH_MAX_LENGTH) return path;
  throw new PushUsageError(
    `--push-path is "${path}"; it is a path like ${defaultPushPath}, up to ${PATH_MAX_LENGTH} characters`,
  );
}

function brokerAddress(text: string): BrokerAddress {
  const url = URL.canParse(`mqtts://${text}`) ? new URL(`mqtts://${text}`) : null;
  const host = url?.hostname ?? '';
  const port = Number(url?.port || MQTTS_PORT);
  const isWhole = text === host || text === `${host}:${url?.port}`;
  if (host !== '' && isWhole && host.length <= HOST_MAX_LENGTH && port > 0) return { host: bare(host), port };
  throw new PushUsageError(`--broker is "${text}"; it is HOST:PORT, as readers reach the broker`);
}

/** Without the brackets of an IPv6 address in a URL. */
function bare(host: string): string {
  const inner = host.replace(/^\[|\]$/g, '');
  return isIPv6(inner) ? inner : host;
}
