import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LiveBus } from './bus.ts';
import type { Subscription, Wish } from './channel.ts';
import type { LiveSink } from './consumer.ts';
import { positionFrame, resyncFrame } from './entry.ts';
import { heartbeatFrame, helloFrame } from './frame.ts';

/** Whose stream is opened on which request, and what it is to carry. */
export interface StreamOptions extends Wish {
  readonly bus: LiveBus;
  readonly orgId: string;
  /** The API key or session behind it. */
  readonly callerId: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Default 15. */
  readonly heartbeatSeconds?: number;
  /** A consumer with more than this still unread gets nothing until it has read. Default 256 kB. */
  readonly unreadMaxBytes?: number;
}

const UNREAD_MAX_BYTES = 256 * 1024;
/** One that had events dropped gets some again once it has read up to this part of the limit, so that it is not told in vain. */
const READ_UP_SHARE = 0.25;
/** A consumer that takes nothing for this many heartbeats in a row is cut off. */
const HEARTBEATS_MISSED_MAX = 4;

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx and its like would hold events back to fill their buffers.
  'X-Accel-Buffering': 'no',
};

/**
 * Turns a request into a live stream: `hello` first, `resync` when what the client missed cannot be told any more, then
 * the organisation's events until the client leaves, the bus ends the stream or the client stops reading for long.
 * `full`: nothing was written, the bus takes no more consumers.
 */
export function openStream(options: StreamOptions): 'open' | 'full' {
  const { bus, orgId, req, res } = options;
  if (!bus.hasRoom(orgId)) return 'full';
  if (req.method === 'HEAD') {
    res.writeHead(200, headers).end();
    return 'open';
  }
  const subscription = bus.subscribe(orgId, sinkFor(options), options);
  if (!subscription) return 'full';
  req.socket.setNoDelay(true);
  req.socket.setTimeout(0);
  res.writeHead(200, headers);
  res.write(greeting(subscription));
  const stopHeartbeat = beat(options, subscription);
  res.on('drain', () => subscription.drained());
  res.once('close', () => {
    stopHeartbeat();
    subscription.leave();
  });
  // A write into a connection that just broke fails here; 'close' follows and cleans up.
  res.on('error', () => {});
  return 'open';
}

function greeting(subscription: Subscription): string {
  const resync = subscription.start === 'resync' ? resyncFrame : '';
  const position = subscription.position();
  return helloFrame + resync + (position === null ? '' : positionFrame(position));
}

function sinkFor({ res, callerId, unreadMaxBytes = UNREAD_MAX_BYTES }: StreamOptions): LiveSink {
  let isBehind = false;
  return {
    callerId,
    write(batch) {
      isBehind = res.writableLength > unreadMaxBytes * (isBehind ? READ_UP_SHARE : 1);
      if (isBehind || res.destroyed || res.writableEnded) return false;
      res.write(batch);
      return true;
    },
    end: () => finish(res, unreadMaxBytes),
  };
}

// The last bytes of one who reads are let out; one who does not would keep the connection open.
function finish(res: ServerResponse, unreadMaxBytes: number): void {
  if (res.writableLength > unreadMaxBytes) res.destroy();
  else res.end();
}

function beat(options: StreamOptions, subscription: Subscription): () => void {
  const { res, filter, heartbeatSeconds = 15, unreadMaxBytes = UNREAD_MAX_BYTES } = options;
  let missed = 0;
  const timer = setInterval(() => {
    missed = res.writableLength > unreadMaxBytes ? missed + 1 : 0;
    if (missed >= HEARTBEATS_MISSED_MAX) res.destroy();
    else if (missed === 0 && !res.destroyed && !res.writableEnded)
      res.write(heartbeat(filter ? subscription.position() : null));
  }, heartbeatSeconds * 1000);
  timer.unref();
  return () => clearInterval(timer);
}

/** A filter may let through little: its consumer's position moves on all the same, so that it can resume from it. */
function heartbeat(position: string | null): string {
  return position === null ? heartbeatFrame : positionFrame(position);
}
