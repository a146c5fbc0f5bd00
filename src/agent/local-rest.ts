import * as http from 'node:http';
import * as https from 'node:https';
import type { ServiceLogin } from './agent-identity.ts';
import type { LocalAnswer, LocalReader } from './local-reader.ts';

export interface LocalRestOptions {
  /** `https://127.0.0.1` or another host and port; the path `/api/v1` is added. Checked with `localBase`. */
  readonly base: string;
  readonly login: ServiceLogin;
  /** How long a call may take, ms; 10 s when absent. */
  readonly timeoutMs?: number;
}

export type Method = 'GET' | 'POST' | 'PUT';

const CALL_TIMEOUT_MS = 10_000;
const STATUS_TIMEOUT_MS = 2000;
const ANSWER_MAX_BYTES = 1024 * 1024;
const BUSY_STATUSES: readonly number[] = [408, 425, 429];
const NOT_IMPLEMENTED = 501;
const PRESETS = '/profiles/inventory/presets';

/**
 * The reader's local REST interface: HTTPS, Basic, JSON. Its certificate is self-signed and made by the reader itself, so there
 * is nothing to check it against; on loopback nobody else can answer. No call rejects: what failed before there was an
 * answer is `away` with its reason. Answers over 1 MB are cut off and count as `away`.
 */
export class LocalRest implements LocalReader {
  readonly #options: LocalRestOptions;
  readonly #agent: http.Agent;

  constructor(options: LocalRestOptions) {
    this.#options = options;
    const pool = { keepAlive: true, maxSockets: 4 };
    this.#agent = options.base.startsWith('https:') ? new https.Agent(pool) : new http.Agent(pool);
  }

  status(): Promise<LocalAnswer> {
    return this.call({ method: 'GET', path: '/status', timeoutMs: STATUS_TIMEOUT_MS });
  }

  start(preset: string): Promise<LocalAnswer> {
    return this.call({ method: 'POST', path: `${PRESETS}/${encodeURIComponent(preset)}/start`, body: {} });
  }

  stop(): Promise<LocalAnswer> {
    return this.call({ method: 'POST', path: '/profiles/stop' });
  }

  schema(): Promise<LocalAnswer> {
    return this.get('/profiles/inventory/presets-schema');
  }

  preset(id: string): Promise<LocalAnswer> {
    return this.get(`${PRESETS}/${encodeURIComponent(id)}`);
  }

  putPreset(id: string, preset: object): Promise<LocalAnswer> {
    return this.call({ method: 'PUT', path: `${PRESETS}/${encodeURIComponent(id)}`, body: preset });
  }

  get(path: string): Promise<LocalAnswer> {
    return this.call({ method: 'GET', path });
  }

  /** One call; a connection that the reader had already given up is not held against it. */
  async call(call: Call): Promise<LocalAnswer> {
    const first = await this.#once(call);
    return first === 'stale connection' ? asAnswer(await this.#once(call)) : first;
  }

  /** Opens a call whose answer goes on: the caller reads it. The request is not sent before `end`. */
  open(path: string): http.ClientRequest {
    return this.#request({ method: 'GET', path }, { agent: false });
  }

  /** Closes what is kept open. */
  close(): void {
    this.#agent.destroy();
  }

  #once(call: Call): Promise<LocalAnswer | 'stale connection'> {
    return new Promise((resolve) => {
      const request = this.#request(call, { agent: this.#agent });
      const limitMs = Math.min(call.timeoutMs ?? CALL_TIMEOUT_MS, this.#options.timeoutMs ?? CALL_TIMEOUT_MS);
      const timer = setTimeout(() => {
        resolve({ kind: 'away', reason: `no answer in ${limitMs / 1000} s`, failing: true });
        request.destroy();
      }, limitMs);
      request.on('close', () => clearTimeout(timer));
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && error.code === 'ECONNRESET';
        resolve(isStale ? 'stale connection' : { kind: 'away', reason: failureOf(error) });
      });
      request.on('response', (response) => readAnswer(response, resolve));
      request.end(call.body === undefined ? undefined : JSON.stringify(call.body));
    });
  }

  #request(call: Call, more: http.RequestOptions): http.ClientRequest {
    const { base, login } = this.#options;
    const basic = Buffer.from(`${login.user}:${login.password}`).toString('base64');
    const headers: http.OutgoingHttpHeaders = { authorization: `Basic ${basic}`, accept: 'application/json' };
    if (call.body !== undefined) headers['content-type'] = 'application/json';
    const options = { ...more, method: call.method, headers };
    const url = `${base}/api/v1${call.path}`;
    if (!base.startsWith('https:')) return http.request(url, options);
    return https.request(url, { ...options, rejectUnauthorized: false });
  }
}

export interface Call {
  readonly method: Method;
  /** After `/api/v1`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  readonly timeoutMs?: number;
}

/** Why a call came to nothing, in one line. */
export function failureOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ECONNREFUSED') return 'nobody listens there (ECONNREFUSED)';
  if (error.code === 'ECONNRESET') return 'the connection broke off (ECONNRESET)';
  return error.code === undefined ? error.message : `${error.message.slice(0, 200)} (${error.code})`;
}

function readAnswer(response: http.IncomingMessage, resolve: (answer: LocalAnswer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > ANSWER_MAX_BYTES) response.destroy(new Error('an answer of over 1 MB'));
    else chunks.push(chunk);
  });
  response.on('error', (error) => resolve({ kind: 'away', reason: failureOf(error) }));
  response.on('end', () => resolve(answerOf(response.statusCode ?? 0, Buffer.concat(chunks))));
}

function answerOf(status: number, bytes: Buffer): LocalAnswer {
  if ((status >= 500 && status !== NOT_IMPLEMENTED) || BUSY_STATUSES.includes(status)) {
    return { kind: 'away', reason: `it answers HTTP ${status}`, failing: true };
  }
  return { kind: 'answer', status, body: jsonOf(bytes.toString('utf8')) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function asAnswer(answer: LocalAnswer | 'stale connection'): LocalAnswer {
  return answer === 'stale connection' ? { kind: 'away', reason: 'the connection broke off' } : answer;
}
