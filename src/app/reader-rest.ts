import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { oneLine } from '../lib/json-describe.ts';
import { PushError, type PushTarget } from './push-target.ts';

/** One call. `path` is below the reader's address. */
export interface RestRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly body?: RestBody | undefined;
}

export interface RestBody {
  readonly type: string;
  readonly content: string | Buffer;
}

export interface RestAnswer {
  readonly status: number;
  readonly text: string;
}

const ANSWER_MAX_BYTES = 64 * 1024;
const REASON_MAX_LENGTH = 200;

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'no answer',
  EPROTO: 'it does not speak TLS as we do',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
};

/**
 * Calls of a reader's local REST interface: HTTPS and Basic. A reader signs its own certificate, so nobody vouches for the
 * first one; that later calls find the same one is checked before anything is sent. Every call ends within its time, an
 * answer over 64 kB is refused, redirections are not followed.
 */
export class ReaderRest {
  readonly #target: PushTarget;
  #fingerprint: string | null = null;

  constructor(target: PushTarget) {
    this.#target = target;
  }

  /** SHA-256 of the reader's certificate; null before the first call. */
  get fingerprint(): string | null {
    return this.#fingerprint;
  }

  /** Any answer at all; a call without one is a `PushError`. */
  async call(request: RestRequest): Promise<RestAnswer> {
    const signal = AbortSignal.timeout(this.#target.timeoutMs);
    let socket: TLSSocket | undefined;
    try {
      socket = await this.#connect(signal);
      const response = await this.#send(socket, request);
      return { status: response.statusCode ?? 0, text: await textOf(response) };
    } catch (error) {
      const reason = signal.aborted ? `no answer within ${this.#target.timeoutMs / 1000} s` : reasonOf(error);
      throw new PushError(`${this.#target.origin}: ${reason} (${titleOf(request)})`);
    } finally {
      socket?.destroy();
    }
  }

  /** An answer of success; any other is a `PushError`. */
  async need(request: RestRequest): Promise<RestAnswer> {
    const answer = await this.call(request);
    if (isDone(answer)) return answer;
    throw this.refusal(request, answer);
  }

  /** What an answer that is no success means, in one line. */
  refusal(request: RestRequest, { status, text }: RestAnswer): PushError {
    const { origin, user } = this.#target;
    if (status === 401 || status === 403)
      return new PushError(
        `${origin} refuses the user "${oneLine(user, REASON_MAX_LENGTH)}" (${status} on ${titleOf(request)}); check --reader-user and --reader-password-stdin`,
      );
    return new PushError(`${origin} answers ${status} to ${titleOf(request)}${this.#wordsOf(text)}`);
  }

  /** The reader's own words, unless they repeat what must not be shown. */
  #wordsOf(text: string): string {
    const { message, detail } = objectIn(text);
    const words = [message, detail].filter((word) => typeof word === 'string' && word !== '').join('; ');
    if (words === '') return '';
    const holdsSecret = words.includes('-----BEGIN') || this.#secrets().some((one) => words.includes(one));
    return holdsSecret ? ' (its words hold a secret)' : `: ${oneLine(words, REASON_MAX_LENGTH)}`;
  }

  #secrets(): readonly string[] {
    const { password } = this.#target;
    const forms = [password, JSON.stringify(password).slice(1, -1), this.#credentials()];
    return forms.filter((one) => one !== '');
  }

  #credentials(): string {
    return Buffer.from(`${this.#target.user}:${this.#target.password}`).toString('base64');
  }

  #connect(signal: AbortSignal): Promise<TLSSocket> {
    const { host, port } = this.#target;
    const name = isIP(host) ? {} : { servername: host };
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, ...name, rejectUnauthorized: false });
      signal.addEventListener('abort', () => socket.destroy());
      socket.on('error', reject);
      socket.once('close', () => reject(new Error('the connection ended')));
      socket.once('secureConnect', () => {
        if (this.#isSameReader(socket)) return resolve(socket);
        socket.destroy();
        reject(new Error('it shows another certificate than a moment ago'));
      });
    });
  }

  #isSameReader(socket: TLSSocket): boolean {
    const shown = socket.getPeerX509Certificate()?.fingerprint256 ?? '';
    this.#fingerprint ??= shown;
    return shown === this.#fingerprint;
  }

  #send(socket: TLSSocket, { method, path, body }: RestRequest): Promise<IncomingMessage> {
    const { host, port } = this.#target;
    const content = body && { 'content-type': body.type, 'content-length': Buffer.byteLength(body.content) };
    const headers = { authorization: `Basic ${this.#credentials()}`, accept: 'application/json', ...content };
    return new Promise((resolve, reject) => {
      const sent = request({ host, port, method, path, headers, createConnection: () => socket });
      sent.once('response', resolve);
      sent.once('error', reject);
      sent.end(body?.content);
    });
  }
}

/** Whether an answer is a success: 200 to 299. */
export function isDone({ status }: RestAnswer): boolean {
  return status >= 200 && status < 300;
}

/** Whether the reader has no such call. */
export function isUnknownCall({ status }: RestAnswer): boolean {
  return status === 404 || status === 405 || status === 501;
}

/** The members of a JSON object; none for anything else. */
export function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    length += chunk.length;
    if (length > ANSWER_MAX_BYTES) throw new Error('the answer is over 64 kB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function titleOf({ method, path }: RestRequest): string {
  return `${method} ${path}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the call failed';
  const code = 'code' in error ? String(error.code) : '';
  const hint = hints[code];
  return hint === undefined ? oneLine(error.message, REASON_MAX_LENGTH) : `${hint} (${code})`;
}
