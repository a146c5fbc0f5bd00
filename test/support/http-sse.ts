import http from 'node:http';
import https from 'node:https';

/** One event as it came: its type, and its data parsed as JSON. */
export interface SseEvent {
  readonly type: string;
  // Tests look into data of several shapes and assert on what they find.
  // biome-ignore lint/suspicious/noExplicitAny: the parsed JSON of any event
  readonly data: any;
}

export interface SseClient {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Every event so far, in order; those `next` handed out too. */
  readonly events: readonly SseEvent[];
  readonly comments: () => number;
  /** The id a browser would send on reconnecting: of the last event or position that came; null before the first. */
  readonly lastEventId: () => string | null;
  /** The next event not handed out yet (of this type, skipping others). Rejects when the stream ends or time runs out. */
  next(type?: string, timeoutMs?: number): Promise<SseEvent>;
  /** Settles once the server has ended the stream, or it broke; rejects when the framing was broken. */
  readonly ended: Promise<void>;
  /** Stops and starts reading from the socket. */
  pause(): void;
  resume(): void;
  close(): void;
}

export interface SseClientOptions {
  readonly headers?: Record<string, string>;
  readonly ca?: string;
}

/**
 * Opens a stream and reads it strictly: any line that is not exactly `id: x`, `event: x`, `data: {JSON}`, a comment or
 * blank, any other order, any bare CR or NUL is a fault that rejects every pending and later `next`.
 */
export async function openSse(url: string, { headers = {}, ca }: SseClientOptions = {}): Promise<SseClient> {
  const res = await respond(url, { headers: { accept: 'text/event-stream', ...headers }, ca });
  const parser = strictParser();
  const events: SseEvent[] = [];
  let handedOut = 0;
  let fault: Error | null = null;
  let wake: () => void = () => {};
  const stop = (error: Error): void => {
    fault ??= error;
    wake();
  };
  res.on('data', (chunk: Buffer) => {
    try {
      events.push(...parser.push(chunk));
      wake();
    } catch (error) {
      stop(error as Error);
      res.destroy();
    }
  });
  const ended = new Promise<void>((resolve, reject) => {
    res.on('error', () => {});
    res.on('close', () => {
      if (fault) reject(fault);
      else resolve();
      stop(new Error('the stream has ended'));
    });
  });
  ended.catch(() => {});
  return {
    status: res.statusCode ?? 0,
    headers: res.headers,
    events,
    comments: parser.comments,
    lastEventId: parser.lastEventId,
    ended,
    pause: () => res.pause(),
    resume: () => res.resume(),
    close: () => res.destroy(),
    async next(type, timeoutMs = 5000) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        while (handedOut < events.length) {
          const event = events[handedOut++];
          if (event && (type === undefined || event.type === type)) return event;
        }
        if (fault) throw fault;
        await woken(deadline - Date.now(), type, (callback) => {
          wake = callback;
        });
      }
    },
  };
}

function woken(
  ms: number,
  type: string | undefined,
  register: (callback: () => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no ${type ?? 'event'} in time`)), Math.max(ms, 0));
    register(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function respond(
  url: string,
  options: { headers: Record<string, string>; ca: string | undefined },
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const module = url.startsWith('https:') ? https : http;
    module.get(url, { ...options, agent: false }, resolve).on('error', reject);
  });
}

/** A parser of exactly the frames the interface promises, with an id before an event or in a comment; looser than nothing. */
export function strictParser(): SseParser {
  let rest: Buffer = Buffer.alloc(0);
  let comments = 0;
  let lastEventId: string | null = null;
  return {
    comments: () => comments,
    lastEventId: () => lastEventId,
    push(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const events: SseEvent[] = [];
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const frame = parseFrame(new TextDecoder('utf-8', { fatal: true }).decode(rest.subarray(0, end)));
        rest = rest.subarray(end + 2);
        lastEventId = frame.id ?? lastEventId;
        if (frame.event) events.push(frame.event);
        else comments++;
      }
      return events;
    },
  };
}

interface SseParser {
  push(chunk: Buffer): SseEvent[];
  comments: () => number;
  lastEventId: () => string | null;
}

interface SseFrame {
  readonly id: string | undefined;
  /** Null: a comment. */
  readonly event: SseEvent | null;
}

function parseFrame(frame: string): SseFrame {
  const comment = /^: (?:\nid: ([^\n\r\0]+))?$/.exec(frame);
  if (comment) return { id: comment[1], event: null };
  const match = /^(?:id: ([^\n\r\0]+)\n)?event: ([a-z_]+)\ndata: ([^\n\r\0]+)$/.exec(frame);
  if (!match) throw new Error(`not a frame of the interface: ${JSON.stringify(frame)}`);
  const data: unknown = JSON.parse(String(match[3]));
  if (typeof data !== 'object' || data === null) throw new Error(`data is no object: ${frame}`);
  return { id: match[1], event: { type: String(match[2]), data } };
}
