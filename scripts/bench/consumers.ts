// Consumers of the live stream as a process of their own: they read as fast as they can.
import { get, type IncomingMessage } from 'node:http';
import { serveParent } from './ipc.ts';

export interface ConsumersRequest {
  readonly origin: string;
  readonly apiKey: string;
  readonly count: number;
}

export interface ConsumersResult {
  /** What all consumers took between `mark` and now. */
  readonly bytes: number;
  /** Events the first of them took meanwhile. */
  readonly eventsOfOne: number;
  readonly bytesOfOne: number;
}

const END = Buffer.from('\n\n');
const responses: IncomingMessage[] = [];
const seen = { bytes: 0, eventsOfOne: 0, bytesOfOne: 0 };

async function open({ origin, apiKey, count }: ConsumersRequest): Promise<void> {
  for (let nth = 0; nth < count; nth++) {
    const response = await connect(new URL('/api/v1/events/stream', origin), apiKey);
    responses.push(response);
    response.on('data', (chunk: Buffer) => {
      seen.bytes += chunk.length;
      if (nth === 0) countEvents(chunk);
    });
  }
}

function connect(url: URL, apiKey: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = get(url, { headers: { authorization: `Bearer ${apiKey}` }, agent: false });
    sent.once('error', reject);
    sent.once('response', (response) => {
      response.on('error', () => {});
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`GET /events/stream answered ${response.statusCode}`));
    });
  });
}

// An end of event cut in two by the end of a chunk is missed: of thousands, that does not matter here.
function countEvents(chunk: Buffer): void {
  seen.bytesOfOne += chunk.length;
  for (let at = chunk.indexOf(END); at >= 0; at = chunk.indexOf(END, at + 2)) seen.eventsOfOne++;
}

/** What was taken since the last call. */
function mark(): ConsumersResult {
  const result = { ...seen };
  Object.assign(seen, { bytes: 0, eventsOfOne: 0, bytesOfOne: 0 });
  return result;
}

function close(): void {
  for (const response of responses.splice(0)) response.destroy();
}

serveParent({ open, mark, close });
