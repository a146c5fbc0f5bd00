// What a client sees of the appliance meanwhile: answers of the REST interface and events of the stream.
import { Agent, type ClientRequest, get, type IncomingMessage } from 'node:http';
import { serveParent } from './ipc.ts';
import { percentile } from './percentile.ts';

export interface ProbeOptions {
  readonly origin: string;
  readonly apiKey: string;
}

export interface RestOptions extends ProbeOptions {
  readonly path: string;
  readonly perSecond: number;
}

export interface RestResult {
  readonly requests: number;
  /** Answers other than 200, and none at all. */
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface StreamOptions extends ProbeOptions {
  /** Reads every `tag_read` for its latency; otherwise events are only counted. */
  readonly latency: boolean;
}

export interface StreamResult {
  readonly events: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const SOCKETS = 16;
const END = Buffer.from('\n\n');

const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
let rest: { stop: () => Promise<RestResult> } | null = null;
let stream: Stream | null = null;

function authorized({ origin, apiKey }: ProbeOptions, path: string) {
  return { ...options(new URL(path, origin)), headers: { authorization: `Bearer ${apiKey}` } };
}

function options({ hostname, port, pathname }: URL) {
  return { host: hostname, port, path: pathname };
}

/** Sends at a fixed pace whatever the answers do, so that a stall shows in every request it delays. */
function startRest(request: RestOptions): void {
  const times: number[] = [];
  const pending = new Set<Promise<void>>();
  let failed = 0;
  const one = async (): Promise<void> => {
    const began = performance.now();
    const status = await answerOf(get({ ...authorized(request, request.path), agent }));
    if (status === 200) times.push(performance.now() - began);
    else failed++;
  };
  const timer = setInterval(() => {
    const sent = one();
    pending.add(sent);
    void sent.finally(() => pending.delete(sent));
  }, 1000 / request.perSecond);
  rest = {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(pending);
      const max = times.reduce((a, b) => Math.max(a, b), 0);
      const percentiles = { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), maxMs: max };
      return { requests: times.length + failed, failed, ...percentiles };
    },
  };
}

function answerOf(request: ClientRequest): Promise<number> {
  return new Promise((resolve) => {
    request.once('error', () => resolve(0));
    request.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', () => resolve(0));
    });
  });
}

/** One consumer of the live stream, which reads as fast as it can. */
class Stream {
  readonly #response: IncomingMessage;
  readonly #latency: boolean;
  readonly #late: { at: number; ms: number }[] = [];
  #events = 0;
  #rest = '';
  #ended = false;

  constructor(response: IncomingMessage, latency: boolean) {
    this.#response = response;
    this.#latency = latency;
    response.on('data', (chunk: Buffer) => (this.#latency ? this.#read(chunk) : this.#count(chunk)));
    response.once('close', () => {
      this.#ended = true;
    });
  }

  static open(request: StreamOptions): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const sent = get({ ...authorized(request, '/api/v1/events/stream'), agent: false });
      sent.once('error', reject);
      sent.once('response', (response) => {
        if (response.statusCode === 200) resolve(new Stream(response, request.latency));
        else reject(new Error(`GET /events/stream answered ${response.statusCode}`));
      });
    });
  }

  /** Latencies of events that arrived between two times only, so that warm-up and end stay out. */
  close({ from, to }: { from: number; to: number }): StreamResult {
    if (this.#ended) throw new Error('the stream ended while it was measured');
    this.#response.destroy();
    const times = this.#late.filter(({ at }) => at >= from && at <= to).map(({ ms }) => ms);
    const max = times.reduce((a, b) => Math.max(a, b), 0);
    return {
      events: this.#events,
      p50Ms: percentile(times, 0.5),
      p99Ms: percentile(times, 0.99),
      maxMs: max,
    };
  }

  // An end of event cut in two by the end of a chunk is missed: of thousands, that does not matter here.
  #count(chunk: Buffer): void {
    for (let at = chunk.indexOf(END); at >= 0; at = chunk.indexOf(END, at + 2)) this.#events++;
  }

  #read(chunk: Buffer): void {
    const at = Date.now();
    const events = (this.#rest + chunk.toString('latin1')).split('\n\n');
    this.#rest = events.pop() ?? '';
    this.#events += events.length;
    for (const event of events) {
      if (!event.includes('event: tag_read\n')) continue;
      const seen = /"lastSeen":"([^"]+)"/.exec(event)?.[1];
      if (seen) this.#late.push({ at, ms: at - Date.parse(seen) });
    }
  }
}

serveParent({
  statusOf: (request: RestOptions) => answerOf(get({ ...authorized(request, request.path), agent })),
  startRest,
  stopRest: () => rest?.stop(),
  openStream: async (request: StreamOptions) => {
    stream = await Stream.open(request);
  },
  closeStream: (between: { from: number; to: number }) => stream?.close(between),
});
