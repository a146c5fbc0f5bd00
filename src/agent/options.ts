/** As typed; everything is text but for the switch. */
export interface TypedOptions {
  readonly dir?: string | undefined;
  readonly broker?: string | undefined;
  readonly reader?: string | undefined;
  readonly forwardEvents?: boolean | undefined;
  readonly bufferMb?: string | undefined;
}

export interface AgentOptions {
  /** Folder of the four identity files; the agent's own things go to `agent` in it. */
  readonly dir: string;
  /** `mqtts://host:port`; null: as the reader's own MQTT settings say. */
  readonly broker: string | null;
  /** Origin of the reader's local REST interface. */
  readonly reader: string;
  readonly forwardEvents: boolean;
  /** What waits for the broker on disk at most. */
  readonly bufferBytes: number;
}

/** A wrong value on the command line; its message is one line. */
export class AgentUsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AgentUsageError';
  }
}

const DEFAULT_DIR = '/cust/rw_dir';
const DEFAULT_READER = 'https://127.0.0.1';
const DEFAULT_BUFFER_MB = 16;
const BUFFER_MAX_MB = 256;
const MB = 1024 * 1024;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/;

/** Checks what was typed and fills in what was not. Throws an `AgentUsageError` that names the option. */
export function agentOptions(typed: TypedOptions): AgentOptions {
  return {
    dir: typed.dir ?? DEFAULT_DIR,
    broker: typed.broker === undefined ? null : brokerUrl(typed.broker),
    reader: readerOrigin(typed.reader ?? DEFAULT_READER),
    forwardEvents: typed.forwardEvents ?? false,
    bufferBytes: bufferMb(typed.bufferMb ?? String(DEFAULT_BUFFER_MB)) * MB,
  };
}

function brokerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url && ['', '/'].includes(url.pathname) && url.username === '' && url.search === '';
  if (url?.protocol === 'mqtts:' && url.hostname !== '' && isPlain) return text;
  throw new AgentUsageError(`--broker is "${text}"; it is mqtts://host:port`);
}

/** Without TLS only on loopback: the reader's password goes over it. */
function readerOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url && url.pathname === '/' && url.username === '' && url.search === '' && url.hash === '';
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url && isPlain && isSafe) return url.origin;
  throw new AgentUsageError(
    `--reader is "${text}"; it is https://host:port without a path (http:// on loopback only)`,
  );
}

function bufferMb(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= BUFFER_MAX_MB) return value;
  throw new AgentUsageError(`--buffer-mb is "${text}"; it takes a whole number of 1 to ${BUFFER_MAX_MB}`);
}
