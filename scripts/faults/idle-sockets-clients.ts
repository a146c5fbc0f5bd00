import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import type { SoakHouse } from './soak-house.ts';

/** A way to open a connection and leave it. */
export interface IdleKind {
  readonly name: string;
  readonly count: number;
  /** Begins to connect the nth of them. */
  open(nth: number): Socket;
  /** What tells that it has come as far as it will. */
  readonly arrived: 'connect' | 'secureConnect';
}

/** Connections that were opened, and how long they have lived. */
export interface IdleSockets {
  readonly open: number;
  /** Ended before they had come as far as they would. */
  readonly refused: number;
  readonly longestMs: number;
}

const HOST = '127.0.0.1';
/** Opened at once; a listener's backlog takes more, but a client in one process gets slow. */
const AT_ONCE = 50;
const DRIP_MS = 1000;
/** A TLS record that announces 512 bytes, and the beginning of a ClientHello in it. */
const HELLO_BEGIN = Buffer.from('1603010200010001fc0303', 'hex');

/** Every kind; `share` makes a run smaller by that factor. */
export function idleKinds(house: SoakHouse, share: number): readonly IdleKind[] {
  const { endpoints } = house.target;
  const portOf = (url: string): number => Number(new URL(url).port);
  const [mqtts, https, http] = [portOf(endpoints.mqtts), portOf(endpoints.https), portOf(endpoints.http)];
  const secure = secureTo(house);
  const count = (all: number): number => Math.round(all / share);
  return [
    {
      ...{ name: 'TLS without CONNECT on 8883', count: count(500), arrived: 'secureConnect' },
      open: (nth) => secure(mqtts, nth),
    },
    {
      ...{ name: 'TCP without TLS on 8883', count: count(500), arrived: 'connect' },
      open: () => plain(mqtts),
    },
    {
      ...{ name: 'a byte of TLS a second on 8883', count: count(50), arrived: 'connect' },
      open: () => dripping(mqtts),
    },
    {
      ...{ name: 'TCP without TLS on HTTPS', count: count(100), arrived: 'connect' },
      open: () => plain(https),
    },
    {
      ...{ name: 'a byte of TLS a second on HTTPS', count: count(50), arrived: 'connect' },
      open: () => dripping(https),
    },
    {
      ...{ name: 'TLS without a request on HTTPS', count: count(100), arrived: 'secureConnect' },
      open: (nth) => secure(https, nth),
    },
    {
      ...{ name: 'TCP without a request on HTTP', count: count(100), arrived: 'connect' },
      open: () => plain(http),
    },
  ];
}

function plain(port: number): Socket {
  return connect(port, HOST);
}

/** With the certificates of readers that do not publish, in turn. */
function secureTo({ site, fleet }: SoakHouse): (port: number, nth: number) => Socket {
  const identities = site.readers.slice(fleet.readers.length);
  const contexts = identities.map((identity) => tls.createSecureContext({ ...identity, ca: site.ca }));
  return (port, nth) =>
    tls.connect({
      ...{ host: HOST, port, servername: 'localhost' },
      secureContext: contexts[nth % contexts.length],
    });
}

function dripping(port: number): Socket {
  const socket = connect(port, HOST);
  socket.once('connect', () => {
    socket.write(HELLO_BEGIN);
    const timer = setInterval(() => socket.write(Buffer.alloc(1)), DRIP_MS);
    socket.once('close', () => clearInterval(timer));
  });
  return socket;
}

/** Opens all of one kind; resolves when each has come as far as it will, or has ended. */
export async function openIdle(kind: IdleKind): Promise<IdleSockets> {
  const state = { open: 0, refused: 0, longestMs: 0 };
  for (let at = 0; at < kind.count; at += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, kind.count - at) }, (_, i) =>
      openOne(kind, at + i, state),
    );
    await Promise.all(some);
    await sleep(1);
  }
  return state;
}

type State = { -readonly [K in keyof IdleSockets]: number };

function openOne(kind: IdleKind, nth: number, state: State): Promise<void> {
  return new Promise((resolve) => {
    const began = performance.now();
    let arrived = false;
    const socket = kind.open(nth);
    state.open++;
    // Nothing is sent, but what comes is taken: an end that nobody reads would not be seen.
    socket.resume();
    socket.on('error', () => {});
    socket.once(kind.arrived, () => {
      arrived = true;
      resolve();
    });
    socket.once('close', () => {
      state.open--;
      if (!arrived) state.refused++;
      state.longestMs = Math.max(state.longestMs, performance.now() - began);
      resolve();
    });
  });
}
