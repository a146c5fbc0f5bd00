import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { limits } from '../../domain/limits.ts';
import type { AttemptOutcome } from '../../store/webhooks.ts';
import { faultOf, Timeout } from './fault.ts';

/** One POST. */
export interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly caPem: string | null;
  readonly lookup: LookupFunction;
  /** Ends the attempt, which then fails. */
  readonly signal: AbortSignal;
  /** 10,000 when left out. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/**
 * Sends one message and says how it went, within the time; never throws. Delivered is what was answered with 2xx, whatever
 * becomes of the body, of which up to 16 kB are read in what is left of the time. Redirects are not followed, certificates are checked, and every connection is used once.
 */
export async function send(sending: Sending): Promise<AttemptOutcome> {
  const began = performance.now();
  const told = await answerTo(sending).catch((error: unknown) => ({
    statusCode: null,
    error: faultOf(error),
  }));
  return { ...told, durationMs: Math.round(performance.now() - began) };
}

type Told = Pick<AttemptOutcome, 'statusCode' | 'error' | 'retryAfterMs'>;

function answerTo(sending: Sending): Promise<Told> {
  const { timeoutMs = TIMEOUT_MS } = sending;
  return new Promise((resolve, reject) => {
    const request = requestOf(sending);
    let told: Told | null = null;
    // Whatever ends it: once there was a status, that is what the receiver said.
    const end = (error: Error): void => {
      clearTimeout(timer);
      request.destroy();
      if (told) resolve(told);
      else reject(error);
    };
    const timer = setTimeout(() => end(new Timeout(timeoutMs)), timeoutMs);
    request.on('error', end);
    // Some ends are told by nothing else.
    request.on('close', () => end(new Error('the connection was cut before an answer came')));
    request.on('upgrade', (response, socket) => {
      told = judge(response);
      socket.destroy();
    });
    request.on('response', (response) => {
      told = judge(response);
      drain(response);
    });
    request.end(sending.body);
  });
}

function requestOf({ url, headers, body, caPem, lookup, signal }: Sending): ClientRequest {
  const shared = {
    method: 'POST',
    agent: false,
    headers: { ...headers, ...ownHeaders(body) },
    lookup,
    signal,
  };
  return url.startsWith('https:')
    ? httpsRequest(url, { ...shared, ...(caPem !== null && { ca: caPem }) })
    : httpRequest(url, shared);
}

function ownHeaders(body: string): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Tagkeep-Webhooks',
    connection: 'close',
  };
}

/** Reads the answer, for the receiver's sake, up to the limit or to whatever ends it. */
function drain(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.webhookAnswerMaxBytes) response.destroy();
  });
  response.on('error', () => undefined);
}

function judge({ statusCode = 0, headers }: IncomingMessage): Told {
  if (statusCode >= 200 && statusCode < 300) return { statusCode, error: null };
  const redirect = statusCode >= 300 && statusCode < 400 ? '; redirects are not followed' : '';
  const retryAfterMs = MAY_ASK_FOR_TIME.has(statusCode) ? retryAfter(headers['retry-after']) : null;
  const error = `the receiver answered ${statusCode}${redirect}`;
  return { statusCode, error, ...(retryAfterMs !== null && { retryAfterMs }) };
}

const MAY_ASK_FOR_TIME: ReadonlySet<number> = new Set([429, 503]);

/** `Retry-After`, in seconds or as a date, as ms from now; null: none that can be read. */
function retryAfter(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  // A date is the receiver's clock, and ours may differ: it is bounded as any other.
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
