import { setImmediate, setTimeout } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import type { Running } from './running.ts';
import type { TlsListener } from './tls-server.ts';

const UNSETTLED_WAIT_MS = 1000;
const FLUSH_WAIT_MS = 200;
const CLOSE_WAIT_MS = 300;

/**
 * Stops in the order that loses nothing: no more input, answers to what is stored, then the connections, then
 * the store.
 */
export async function shutDown(running: Running, listener: TlsListener): Promise<void> {
  const { flow, ingress, links, aedes, store } = running;
  listener.close();
  await flow.close(UNSETTLED_WAIT_MS);
  ingress.stop();
  // Aedes writes an answer one turn after it is released.
  await setImmediate();
  await setImmediate();
  const sockets = links.all().map((link) => link.socket);
  await atMost(FLUSH_WAIT_MS, Promise.all(sockets.map(flushed)));
  await atMost(CLOSE_WAIT_MS, new Promise<void>((resolve) => aedes.close(resolve)));
  for (const link of links.all()) link.abort(new Error('the broker stops'));
  listener.cutAll();
  await store.close();
}

function flushed(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.end(() => resolve());
  });
}

async function atMost(timeoutMs: number, task: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const timeout = setTimeout(timeoutMs, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([task, timeout]);
  timer.abort();
}
