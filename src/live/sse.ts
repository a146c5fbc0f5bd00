import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LiveBus, LiveSink } from './bus.ts';
import { heartbeatFrame, helloFrame } from './frame.ts';

/** Whose stream is opened on which request. */
export interface StreamOptions {
  readonly bus: LiveBus;
  readonly orgId: string;
  readonly callerId: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Default 15. */
  readonly heartbeatSeconds?: number;
  /** A consumer with more than this still unread gets nothing until it has read. Default 256 kB. */
  readonly unreadMaxBytes?: number;
}

/** A consumer that takes nothing for this many heartbeats in a row is cut off. */
const HEARTBEATS_MISSED_MAX = 4;

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx and its like would hold events back to fill their buffers.
  'X-Accel-Buffering': 'no',
};

/**
 * Turns a request into a live stream: `hello` first, then the organisation's events until the client leaves, the bus
 * ends the stream or the client stops reading for long. `full`: nothing was written, the bus takes no more consumers.
 */
export function openStream(options: StreamOptions): 'open' | 'full' {
  const { bus, req, res } = options;
  const sink = sinkFor(options);
  const leave = bus.subscribe(options.orgId, sink);
  if (!leave) return 'full';
  req.socket.setNoDelay(true);
  req.socket.setTimeout(0);
  res.writeHead(200, headers);
  if (req.method === 'HEAD') {
    leave();
    res.end();
    return 'open';
  }
  res.write(helloFrame);
  const stopHeartbeat = beat(options, sink);
  res.once('close', () => {
    stopHeartbeat();
    leave();
  });
  // A write into a connection that just broke fails here; 'close' follows and cleans up.
  res.on('error', () => {});
  return 'open';
}

function sinkFor({ res, callerId, unreadMaxBytes = 256 * 1024 }: StreamOptions): LiveSink {
  return {
    callerId,
    write(batch) {
      if (res.writableLength > unreadMaxBytes || res.destroyed || res.writableEnded) return false;
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

function beat({ res, heartbeatSeconds = 15 }: StreamOptions, sink: LiveSink): () => void {
  const heartbeat = Buffer.from(heartbeatFrame);
  let missed = 0;
  const timer = setInterval(() => {
    missed = sink.write(heartbeat) ? 0 : missed + 1;
    if (missed >= HEARTBEATS_MISSED_MAX) res.destroy();
  }, heartbeatSeconds * 1000);
  timer.unref();
  return () => clearInterval(timer);
}
