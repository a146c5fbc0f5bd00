import { randomUUID } from 'node:crypto';
import type {
  AedesOptions,
  AedesPublishPacket,
  AuthenticateError,
  Client,
  ConnackPacket,
  ConnectPacket,
  PublishPacket,
  Subscription,
} from 'aedes';
import type { PublishKind } from '../contract/topics.ts';
import { scopedClientId } from './client-id.ts';
import type { TappedPublish } from './frame-tap.ts';
import type { Link } from './link.ts';
import { linkOf } from './links.ts';
import { isMalformed, isWill } from './publish-packet.ts';
import type { QuietLog } from './quiet-log.ts';
import type { BrokerCounters, BrokerHooks, BrokerLimits, Peer, PublishedMessage } from './types.ts';

export interface IngressParts {
  readonly hooks: BrokerHooks;
  readonly limits: BrokerLimits;
  readonly counters: BrokerCounters;
  readonly quiet: QuietLog;
}

const REFUSED_SUBSCRIPTION = null;

/**
 * Who may connect, publish, subscribe and receive what: the certificate's name decides. Every method runs
 * inside Aedes, where a throw would end the process, so each is guarded.
 */
export class Ingress {
  readonly #parts: IngressParts;
  #stopping = false;

  constructor(parts: IngressParts) {
    this.#parts = parts;
  }

  /**
   * From now on nothing is handed to the service: the last wills of connections closed by the stop are
   * dropped.
   */
  stop(): void {
    this.#stopping = true;
  }

  /** The rules as Aedes takes them. */
  handlers(): AedesOptions {
    return {
      preConnect: (client, packet, done) => this.#preConnect(client, packet, done),
      // Username and password count for nothing: the certificate says who it is.
      authenticate: (client, ...[, , done]) => this.#authenticate(client, done),
      authorizePublish: (client, packet, done) => this.#authorizePublish(client, packet, done),
      authorizeSubscribe: (client, subscription, done) =>
        done(null, this.#subscription(client, subscription)),
      authorizeForward: (client, packet) => forwardable(client, packet),
    };
  }

  /** CONNACK has been sent. */
  connected(packet: ConnackPacket, client: Client): void {
    const link = linkOf(client);
    if (!link || packet.returnCode !== 0 || link.closed) return;
    link.ready = true;
    link.readyAt = Date.now();
    this.#tell(() => this.#parts.hooks.onConnected(link.serial, link.id));
    if (link.subscribed) this.#tell(() => this.#parts.hooks.onCommandsSubscribed(link.serial, link.id));
  }

  disconnected(link: Link): void {
    if (!link.ready) return;
    link.ready = false;
    this.#tell(() => this.#parts.hooks.onDisconnected(link.serial, link.id));
  }

  /** SUBACK has been sent. */
  subscribedTo(subscriptions: readonly Subscription[], client: Client): void {
    const link = linkOf(client);
    if (!link?.ready || !subscriptions.some(({ topic }) => topic === link.commandsTopic)) return;
    this.#tell(() => this.#parts.hooks.onCommandsSubscribed(link.serial, link.id));
  }

  /** A QoS 2 publish on one of the reader's own topics. */
  deliverOnce(link: Link, packet: QosTwoPublish): Promise<void> {
    return new Promise((resolve, reject) => {
      const kind = link.kindOf(packet.topic);
      if (kind === null || this.#isOver(link)) reject(new Error('connection closed'));
      else this.#deliver({ link, kind, message: packet, outlives: true }, resolve);
    });
  }

  /** A publish of QoS 0 or 1 on the events topic, taken before Aedes saw it; the same rules hold. */
  tapped(link: Link, { payload, qos, dup, messageId }: TappedPublish): void {
    if (this.#isOver(link)) return;
    const message = { payload, qos, dup };
    this.#tryDeliver({ link, kind: 'events', message, outlives: false }, () => link.acknowledge(messageId));
  }

  #preConnect(
    client: Client,
    packet: ConnectPacket,
    done: (error: Error | null, success: boolean) => void,
  ): void {
    const link = linkOf(client);
    if (!link) {
      done(new Error('connection without a certificate'), false);
      return;
    }
    link.refusal = this.#refusalOf(link, packet);
    if (link.refusal) {
      // A refused client must touch nobody's session when Aedes cleans up behind it.
      packet.clientId = scopedClientId('', randomUUID());
      delete packet.will;
    } else this.#scope(link, packet);
    done(null, true);
  }

  #refusalOf(link: Link, packet: ConnectPacket): Link['refusal'] {
    if ('refusal' in link.identified) return { returnCode: 5, reason: link.identified.refusal };
    const reason = this.#admit(link.identified.peer);
    if (reason !== null) return { returnCode: 5, reason };
    if (packet.clientId === '' && !packet.clean)
      return { returnCode: 2, reason: 'empty client id without clean session' };
    if (packet.clientId.length > this.#parts.limits.clientIdMaxLength)
      return { returnCode: 2, reason: 'client id too long' };
    return null;
  }

  #admit(peer: Peer): string | null {
    try {
      return this.#parts.hooks.admit(peer);
    } catch (error) {
      this.#hookFailed(error);
      return 'the check of the certificate failed';
    }
  }

  #scope(link: Link, packet: ConnectPacket): void {
    packet.clientId = scopedClientId(link.serial, packet.clientId);
    packet.username = link.serial;
    link.clientId = packet.clientId;
    if (!packet.will || link.kindOf(packet.will.topic) !== null) return;
    delete packet.will;
    this.#parts.counters.publishesForeign++;
  }

  #authenticate(
    client: Client,
    done: (error: AuthenticateError | null, success: boolean | null) => void,
  ): void {
    const link = linkOf(client);
    const refusal = link
      ? link.refusal
      : { returnCode: 5 as const, reason: 'connection without a certificate' };
    if (refusal === null) {
      this.#parts.counters.connectsAccepted++;
      done(null, true);
      return;
    }
    this.#parts.counters.connectsRefused++;
    this.#parts.quiet.warn({ ...(link && describe(link)), reason: refusal.reason }, 'connection refused');
    done(Object.assign(new Error(refusal.reason), { returnCode: refusal.returnCode }), false);
  }

  #authorizePublish(
    client: Client | null,
    packet: PublishPacket,
    done: (error?: Error | null) => void,
  ): void {
    const link = client === null ? undefined : linkOf(client);
    const kind = link?.kindOf(packet.topic) ?? null;
    // Answers that the tap owes go first: PUBACKs leave in the order of the publishes.
    const answer = (): void => {
      link?.writeAcks();
      done(null);
    };
    // Without a link: the will of a connection that a crash of an earlier run cut. Too old to say anything,
    // and an error would keep it for ever.
    if (!link) done(null);
    else if (isWill(packet)) this.#will(link, kind, { packet, done });
    else if (this.#isOver(link)) return;
    else if (kind === null) this.#dropForeign(link, { release: answer, bytes: packet.payload.length });
    else if (isMalformed(packet)) link.abort(new Error('malformed publish'));
    // QoS 2 is delivered where its identifier is stored, after repeats are told apart.
    else if (packet.qos === 2) done(null);
    // The parser yields a Buffer for every payload.
    else this.#tryDeliver({ link, kind, message: packet as PublishedMessage, outlives: false }, answer);
  }

  /**
   * What comes behind the end of a connection in the same buffer is neither taken nor answered: the client
   * sends it again.
   */
  #isOver(link: Link): boolean {
    // Destroyed by a DISCONNECT, the socket says so before its 'close'.
    return this.#stopping || link.closed || link.socket.destroyed;
  }

  #dropForeign(link: Link, { release, bytes }: { release: () => void; bytes: number }): void {
    this.#parts.counters.publishesForeign++;
    link.pass(release, bytes);
  }

  #will(link: Link, kind: PublishKind | null, { packet, done }: Will): void {
    if (kind === null || this.#stopping) {
      done(null);
      return;
    }
    // Wills come from the parser too, but without the flag.
    const message = { payload: packet.payload as Buffer, qos: packet.qos, dup: false };
    this.#tryDeliver({ link, kind, message, outlives: true }, done);
  }

  #tryDeliver(publish: Delivery, release: () => void): void {
    try {
      this.#deliver(publish, release);
    } catch {
      // Counted, logged, and the connection is closed: the client sends it again.
    }
  }

  /** Throws when the hook does not take the message, after closing the connection. */
  #deliver({ link, kind, message, outlives }: Delivery, release: () => void): void {
    this.#parts.counters.publishesAccepted++;
    const held = link.hold(message.payload.length, release, outlives);
    let fault: unknown = null;
    try {
      if (this.#parts.hooks.onPublish(link.serial, kind, message, () => link.settle(held))) return;
    } catch (error) {
      this.#hookFailed(error);
      fault = error;
    }
    const notTaken = new Error('publish not taken', { cause: fault });
    link.fail(held, notTaken);
    throw notTaken;
  }

  #subscription(client: Client, subscription: Subscription): Subscription | null {
    const link = linkOf(client);
    if (link && subscription.topic === link.commandsTopic) {
      link.subscribed = true;
      return subscription;
    }
    this.#parts.counters.subscriptionsRefused++;
    return REFUSED_SUBSCRIPTION;
  }

  #tell(hook: () => void): void {
    try {
      hook();
    } catch (error) {
      this.#hookFailed(error);
    }
  }

  #hookFailed(error: unknown): void {
    this.#parts.counters.hookErrors++;
    this.#parts.quiet.warn({ err: error }, 'a hook of the broker failed');
  }
}

/** As the parser yields it. */
export interface QosTwoPublish extends PublishedMessage {
  readonly topic: string;
}

interface Will {
  readonly packet: PublishPacket;
  readonly done: (error?: Error | null) => void;
}

interface Delivery {
  readonly link: Link;
  readonly kind: PublishKind;
  readonly message: PublishedMessage;
  readonly outlives: boolean;
}

/** What a log line says of a connection. */
export function describe(link: Link): object {
  if ('refusal' in link.identified) return { connectionId: link.id, address: link.socket.remoteAddress };
  const { commonName, certificateSerial, address } = link.identified.peer;
  return { connectionId: link.id, serial: commonName, certificateSerial, address };
}

/** Also guards a session's queue: Aedes asks again before it delivers what waited. */
function forwardable(client: Client, packet: AedesPublishPacket): AedesPublishPacket | null {
  return linkOf(client)?.commandsTopic === packet.topic ? packet : null;
}
