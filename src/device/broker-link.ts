import { Socket } from 'node:net';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { topicOf } from '../contract/topics.ts';
import { connectionFailure } from './connection-failure.ts';
import type { Identity } from './identity.ts';
import { keepSubscribed, type Subscription } from './subscription.ts';

export interface LinkMessage {
  readonly topic: string;
  readonly payload: string;
  readonly qos: 0 | 1;
  /** True when sent before with the same id. */
  readonly dup: boolean;
  /** Packet identifier, 1 to 65535; unused at QoS 0. */
  readonly id: number;
}

export interface BrokerLinkOptions {
  readonly serial: string;
  /** `mqtts://host:port`. */
  readonly url: string;
  readonly identity: Identity;
  readonly log: (line: string) => void;
  readonly onOpen: () => void;
  readonly onClose: () => void;
  /** 1 to 23 letters and digits; the one of the reader's own client (`clientIdOf`) when absent. */
  readonly clientId?: string;
  /** False for no will; true when absent. */
  readonly will?: boolean;
  /** Subscribed (QoS 1) after every connect. */
  readonly subscription?: Subscription;
  /** After one and a half times as long without an answer the connection counts as lost; 30 when absent. */
  readonly keepaliveSeconds?: number;
  /** Uniform in [0, 1): spreads retries over half their time, so that a fleet does not come back at once; none when absent. */
  readonly jitter?: () => number;
}

const KEEPALIVE_SECONDS = 30;
const RETRY_FIRST_MS = 500;
const RETRY_LONGEST_MS = 8000;
const CONNECT_TIMEOUT_MS = 10_000;
const GOODBYE_MS = 1000;
const CLIENT_ID_MAX = 23;
/** Often all that TLS 1.3 lets a client know when the server does not like its certificate. */
const REFUSED = 'the broker closed the connection before it was open (does it trust client.crt?)';

/**
 * A connection to the broker that comes back by itself: retries after 0.5 s, doubling to 8 s. It redelivers nothing;
 * what was not acknowledged is its user's. The constructor dials at once and throws one line when `url` is not
 * `mqtts://host:port`.
 */
export class BrokerLink {
  readonly #options: BrokerLinkOptions;
  readonly #settings: IClientOptions;
  readonly #packetId = { next: 1 };
  #client: MqttClient | undefined;
  #retry: NodeJS.Timeout | undefined;
  #wanted = true;
  #open = false;
  #failures = 0;
  #reason = '';

  constructor(options: BrokerLinkOptions) {
    this.#options = options;
    this.#settings = clientOptions(options, this.#packetId);
    this.#dial();
  }

  get connected(): boolean {
    return this.#open && this.#client?.connected === true;
  }

  /** `done` is called at the PUBACK (QoS 1) or when the bytes left (QoS 0), with an error when neither will happen. */
  publish(message: LinkMessage, done: (error?: Error) => void): void {
    if (this.#client === undefined) {
      done(new Error('not connected'));
      return;
    }
    const { topic, payload, qos, dup } = message;
    this.#packetId.next = message.id;
    this.#client.publish(topic, payload, { qos, dup }, (error) => done(error ?? undefined));
  }

  /** Breaks the connection without a DISCONNECT, so that the will goes out; stays away until `restore`. */
  cut(): void {
    if (!this.#wanted) return;
    this.#leave();
    this.#reason = 'offline';
    this.#log('taken offline');
    // At once, not when the socket is gone: what comes now belongs after the outage.
    this.#lose();
    this.#client?.end(true);
  }

  restore(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    if (this.#client === undefined) this.#dial();
  }

  /** Leaves with a DISCONNECT (no will) and does not come back. */
  async close(): Promise<void> {
    this.#leave();
    if (this.#client !== undefined) await sayGoodbye(this.#client);
  }

  #dial(): void {
    const client = connect({ ...this.#settings });
    this.#client = client;
    client.on('connect', () => this.#opened(client));
    const { subscription } = this.#options;
    // From the beginning: a session that stays delivers what it kept before it is subscribed anew.
    if (subscription) {
      client.on('message', (topic, payload) => {
        if (topic === subscription.topic) subscription.onMessage(payload);
      });
    }
    client.on('error', (error) => {
      this.#report(connectionFailure(error));
      client.end(true);
    });
    client.on('close', () => {
      if (this.#client === client) this.#closed();
    });
  }

  #opened(client: MqttClient): void {
    const { subscription } = this.#options;
    this.#open = true;
    this.#failures = 0;
    this.#reason = '';
    this.#log(`connected to ${this.#options.url}`);
    if (subscription) {
      // An answer follows the acknowledgement of what it answers; it must not wait for the one of that.
      if (client.stream instanceof Socket) client.stream.setNoDelay(true);
      const useId = (id: number): void => {
        this.#packetId.next = id;
      };
      keepSubscribed(client, subscription, { useId, log: (text) => this.#log(text) });
    }
    this.#options.onOpen();
  }

  #closed(): void {
    const wasOpen = this.#open;
    this.#client = undefined;
    this.#lose();
    if (!this.#wanted) return;
    // The close that follows an error has nothing to add to it.
    if (this.#reason === '') this.#report(wasOpen ? 'connection lost' : REFUSED);
    this.#retry = setTimeout(() => this.#dial(), this.#retryMs());
    this.#failures = Math.min(this.#failures + 1, 10);
  }

  #retryMs(): number {
    const full = Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS * 2 ** this.#failures);
    return full * (1 - (this.#options.jitter?.() ?? 0) / 2);
  }

  #lose(): void {
    const wasOpen = this.#open;
    this.#open = false;
    if (wasOpen) this.#options.onClose();
  }

  /** Says a reason once, not at every attempt. */
  #report(reason: string): void {
    if (!this.#wanted || reason === this.#reason) return;
    this.#reason = reason;
    this.#log(`${this.#options.url}: ${reason}; trying again`);
  }

  #log(text: string): void {
    this.#options.log(`reader ${this.#options.serial}: ${text}`);
  }

  #leave(): void {
    this.#wanted = false;
    clearTimeout(this.#retry);
  }
}

/** A packet identifier stays with its event over reconnections, as MQTT 4.4 has it; so the client is told which to use. */
function clientOptions(options: BrokerLinkOptions, ids: { next: number }): IClientOptions {
  const { serial, identity } = options;
  return {
    ...address(options.url),
    ...identity,
    clientId: options.clientId ?? clientIdOf(serial),
    clean: false,
    keepalive: options.keepaliveSeconds ?? KEEPALIVE_SECONDS,
    reconnectPeriod: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    ...(options.will === false ? {} : { will: willOf(serial) }),
    messageIdProvider: {
      allocate: () => ids.next,
      getLastAllocated: () => ids.next,
      register: () => true,
      deallocate: () => {},
      clear: () => {},
    },
  };
}

function willOf(serial: string): NonNullable<IClientOptions['will']> {
  const payload = Buffer.from('connection lost');
  return { topic: topicOf(serial, 'status'), payload, qos: 1, retain: false };
}

/**
 * As the reader takes it, `[a-zA-Z0-9]{1,23}`: the serial without its other characters, its distinct end kept. The letter in
 * front tells the connections of one reader apart: `R` its own client, `A` the agent.
 */
export function clientIdOf(serial: string, letter: 'R' | 'A' = 'R'): string {
  return `${letter}${serial.replace(/[^a-zA-Z0-9]/g, '').slice(1 - CLIENT_ID_MAX)}`;
}

function address(url: string): { protocol: 'mqtts'; host: string; port: number } {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const plain = parsed?.pathname === '' || parsed?.pathname === '/';
  if (parsed?.protocol !== 'mqtts:' || parsed.hostname === '' || !plain) {
    throw new Error(`the broker's url must be mqtts://host:port, not "${url}"`);
  }
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  return { protocol: 'mqtts', host, port: Number(parsed.port || 8883) };
}

async function sayGoodbye(client: MqttClient): Promise<void> {
  // With messages in flight a polite end would wait for their acknowledgements without limit.
  const force = !client.connected || Object.keys(client.outgoing).length > 0;
  const gone = new Promise<void>((resolve) => client.end(force, () => resolve()));
  const timer = setTimeout(() => client.stream.destroy(), GOODBYE_MS);
  await gone;
  clearTimeout(timer);
}
