import type { TLSSocket } from 'node:tls';
import { type PublishKind, topicOf } from '../contract/topics.ts';
import type { Flow } from './flow.ts';
import { FrameTap, OVERSIZED, type TappedPublish } from './frame-tap.ts';
import type { Identified } from './peer.ts';
import type { BrokerCounters, BrokerLimits } from './types.ts';

/** One publish on its way through the service; `release` lets Aedes go on with it. */
export interface Held {
  next: Held | null;
  settled: boolean;
  readonly bytes: number;
  readonly release: () => void;
  /** Released even when the connection is gone: what follows is not an answer to the client. */
  outlives: boolean;
}

export interface LinkParts {
  readonly id: string;
  readonly socket: TLSSocket;
  readonly identified: Identified;
  readonly limits: BrokerLimits;
  readonly flow: Flow;
  readonly counters: BrokerCounters;
  /** Takes what the tap found on the events topic. */
  readonly onTapped: (link: Link, publish: TappedPublish) => void;
}

// What a publish costs beside its payload, so that empty ones are bounded too.
const OVERHEAD_BYTES = 256;

/** PUBACK: its first byte and its length, then the identifier. */
const PUBACK_HEADER = 0x4002;
const PUBACK_BYTES = 4;

/**
 * One connection: whose it is, what it has published and awaits an answer for, and whether its socket may be
 * read.
 */
export class Link {
  readonly id: string;
  readonly socket: TLSSocket;
  readonly identified: Identified;
  /** The certificate's name; empty when it has no usable one, and then no topic is its own. */
  readonly serial: string;
  readonly commandsTopic: string;
  /** The peer's IP address; a socket forgets it when it closes. */
  readonly address: string;
  /** The client id within the broker, scoped by the certificate's name; empty before CONNECT. */
  clientId = '';
  /** Identifiers of foreign QoS 2 publishes between PUBLISH and PUBREL. */
  readonly foreignIds = new Set<number>();
  /** Why CONNECT will be answered with a refusal; set before the session begins. */
  refusal: { readonly returnCode: 2 | 5; readonly reason: string } | null = null;
  subscribed = false;
  ready = false;
  /** When CONNACK was sent, epoch ms. */
  readyAt = 0;
  closed = false;
  /**
   * Puts off the end of a client that has said nothing for too long. Null until Aedes has taken the session up and handled
   * what came behind CONNECT: before that nothing may overtake it, and the tap is shut.
   */
  keepAlive: (() => void) | null = null;
  readonly #eventsTopic: string;
  readonly #statusTopic: string;
  readonly #responseTopic: string;
  readonly #limits: BrokerLimits;
  readonly #flow: Flow;
  #head: Held | null = null;
  #tail: Held | null = null;
  #messages = 0;
  #bytes = 0;
  /** Identifiers of settled publishes whose PUBACKs have not been written yet. */
  #acks: number[] = [];
  #answering = false;
  #drainTimer: NodeJS.Timeout | null = null;
  /** Reading was refused by a limit; Aedes tries again only after packets of its own. */
  #refused = false;

  constructor(parts: LinkParts) {
    this.id = parts.id;
    this.socket = parts.socket;
    this.identified = parts.identified;
    this.address = parts.socket.remoteAddress ?? '';
    this.serial = 'peer' in parts.identified ? parts.identified.peer.commonName : '';
    this.commandsTopic = topicOf(this.serial, 'commands');
    this.#eventsTopic = topicOf(this.serial, 'events');
    this.#statusTopic = topicOf(this.serial, 'status');
    this.#responseTopic = topicOf(this.serial, 'command-response');
    this.#limits = parts.limits;
    this.#flow = parts.flow;
    this.#guardReading(parts);
  }

  /** What a topic is for this reader; null when it is not its own. */
  kindOf(topic: string): PublishKind | null {
    if (this.serial === '') return null;
    if (topic === this.#eventsTopic) return 'events';
    if (topic === this.#statusTopic) return 'status';
    return topic === this.#responseTopic ? 'command-response' : null;
  }

  /** Takes a publish into the order in which answers leave. */
  hold(payloadBytes: number, release: () => void, outlives = false): Held {
    const bytes = payloadBytes + OVERHEAD_BYTES;
    const held: Held = { next: null, settled: false, bytes, release, outlives };
    if (this.#tail) this.#tail.next = held;
    else this.#head = held;
    this.#tail = held;
    this.#messages++;
    this.#bytes += bytes;
    this.#flow.enter(bytes);
    return held;
  }

  /** Answers a publish the tap took, once it is its turn: many with one write. QoS 0 has the identifier 0 and no answer. */
  acknowledge(messageId: number): void {
    if (messageId > 0) this.#acks.push(messageId);
    if (this.#answering) return;
    this.#answering = true;
    queueMicrotask(() => this.#answer());
  }

  /**
   * Marks a publish as stored and releases all at the head of the order that are. A second call does nothing.
   */
  settle(held: Held): void {
    if (held.settled) return;
    held.settled = true;
    if (held !== this.#head) return;
    while (this.#head?.settled) this.#releaseHead(this.#head);
    this.#flow.wakeWaiting();
  }

  /** Answers a publish that needs no storing, in its turn; until then `release` keeps its `bytes`. */
  pass(release: () => void, bytes: number): void {
    if (this.#head === null) release();
    else this.hold(bytes, release).settled = true;
  }

  /**
   * Gives up a publish that could not be handed on: no answer, the connection closes, so the client sends it
   * again.
   */
  fail(held: Held, error: Error): void {
    held.outlives = false;
    this.abort(error);
    this.settle(held);
  }

  /** Ends the connection without any further answer to the client. */
  abort(error: Error): void {
    this.closed = true;
    this.socket.destroy(error);
  }

  /** The socket is closed. */
  end(): void {
    this.closed = true;
    clearTimeout(this.#drainTimer ?? undefined);
    this.#flow.forget(this);
  }

  wake(): void {
    if (!this.closed) this.socket.emit('readable');
  }

  #answer(): void {
    this.#answering = false;
    this.writeAcks();
    if (!this.#refused || this.closed) return;
    this.#refused = false;
    this.wake();
  }

  /** Sends the PUBACKs that are due. */
  writeAcks(): void {
    const ids = this.#acks;
    // A socket that is on its way out takes nothing and never drains.
    if (ids.length === 0 || this.closed || !this.socket.writable) return;
    this.#acks = [];
    const bytes = Buffer.allocUnsafe(ids.length * PUBACK_BYTES);
    let at = 0;
    for (const id of ids) at = bytes.writeUInt16BE(id, bytes.writeUInt16BE(PUBACK_HEADER, at));
    if (!this.socket.write(bytes)) this.#awaitDrain();
  }

  /** A client that does not read its answers is not read either, and closed after a while, as by Aedes. */
  #awaitDrain(): void {
    if (this.#drainTimer) return;
    const timer = setTimeout(() => this.abort(new Error('drain timeout')), this.#limits.drainTimeoutMs);
    timer.unref();
    this.#drainTimer = timer;
    this.socket.once('drain', () => {
      clearTimeout(timer);
      this.#drainTimer = null;
      this.wake();
    });
  }

  #releaseHead(held: Held): void {
    this.#head = held.next;
    if (this.#head === null) this.#tail = null;
    this.#messages--;
    this.#bytes -= held.bytes;
    this.#flow.leave(held.bytes);
    if (this.closed && !held.outlives) return;
    held.release();
  }

  /**
   * Aedes takes its input with `read(null)`, after each 'readable' and each finished packet. Answering null
   * there is the back-pressure (Aedes' own loses count when packets arrive one by one), and looking at what
   * leaves is where sizes are checked before the parser buffers anything.
   */
  #guardReading({ counters, onTapped }: LinkParts): void {
    const socket = this.socket;
    const read = socket.read.bind(socket);
    let tapped = 0;
    const onPublish = (publish: TappedPublish): void => {
      tapped++;
      onTapped(this, publish);
    };
    const topic = this.serial === '' ? null : this.#eventsTopic;
    const tap = new FrameTap({ limits: this.#limits, topic, onPublish });
    socket.read = (size) => {
      if (size === 0) return read(0);
      this.#refused = !this.#mayRead();
      if (this.#refused) return null;
      const chunk = readAll(socket, () => read(size));
      if (!(chunk instanceof Buffer)) return chunk;
      const before = tapped;
      const left = tap.accept(chunk, this.keepAlive !== null);
      if (tapped !== before) this.keepAlive?.();
      if (left !== OVERSIZED) return left;
      counters.packetsOversized++;
      this.abort(new Error('packet over the size limit'));
      return null;
    };
  }

  #mayRead(): boolean {
    if (this.#drainTimer) return false;
    if (this.#messages >= this.#limits.unsettledMessages || this.#bytes >= this.#limits.unsettledBytes)
      return false;
    return this.#flow.mayRead(this);
  }
}

/**
 * Everything the socket has buffered. Newer Node versions give one of its buffers at a time, and Aedes asks only once for
 * each 'readable': a message of several buffers would wait for ever for its rest.
 */
function readAll(socket: TLSSocket, read: () => unknown): unknown {
  const first = read();
  if (!(first instanceof Buffer) || socket.readableLength === 0) return first;
  const parts = [first];
  while (socket.readableLength > 0) {
    const next = read();
    if (!(next instanceof Buffer)) break;
    parts.push(next);
  }
  return Buffer.concat(parts);
}
