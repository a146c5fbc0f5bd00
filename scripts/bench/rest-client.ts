// A client of the REST interface as a process of its own: asks one request after another and times them.
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { serveParent } from './ipc.ts';
import { percentile } from './percentile.ts';

export interface Site {
  readonly origin: string;
  readonly apiKey: string;
}

export interface CallRequest extends Site {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
}

export interface CallResult {
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  /** The first 64 kB. */
  readonly text: string;
}

export interface LoopRequest extends Site {
  /** GETs, asked in turn. */
  readonly paths: readonly string[];
  readonly seconds: number;
  /** Between an answer and the next request. */
  readonly gapMs: number;
}

export interface Times {
  readonly path: string;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const KEPT_BYTES = 65_536;
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

async function call({ origin, apiKey, ...what }: CallRequest): Promise<CallResult> {
  const began = performance.now();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      ...(what.body === undefined ? {} : { 'content-type': what.contentType ?? 'application/json' }),
      ...(what.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(what.body)) }),
    };
    const sent = httpRequest(new URL(what.path, origin), { method: what.method, headers, agent }, resolve);
    sent.once('error', reject);
    sent.end(what.body);
  });
  let bytes = 0;
  let text = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (text.length < KEPT_BYTES) text += chunk.toString('latin1');
  }
  return { status: response.statusCode ?? 0, ms: performance.now() - began, bytes, text };
}

/** Each path's own times; anything but a 200 ends it. */
async function loop({ paths, seconds, gapMs, ...site }: LoopRequest): Promise<readonly Times[]> {
  const times = new Map(paths.map((path) => [path, [] as number[]]));
  for (const until = performance.now() + seconds * 1000; performance.now() < until; ) {
    for (const [path, some] of times) {
      const { status, ms } = await call({ ...site, method: 'GET', path });
      if (status !== 200) throw new Error(`GET ${path} answered ${status}`);
      some.push(ms);
      await new Promise((resolve) => setTimeout(resolve, gapMs));
    }
  }
  return [...times].map(([path, some]) => ({
    path,
    requests: some.length,
    p50Ms: percentile(some, 0.5),
    p99Ms: percentile(some, 0.99),
    maxMs: some.reduce((a, b) => Math.max(a, b), 0),
  }));
}

serveParent({ call, loop });
