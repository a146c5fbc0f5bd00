import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls';
import { generate, type Packet, parser } from 'mqtt-packet';
import { until } from './wait.ts';

export interface PublisherOptions {
  /** `mqtts://host:port`. */
  readonly url: string;
  /** What its topics begin with, and its client id. */
  readonly serial: string;
  /** The folder of its identity files, or the certificates themselves. */
  readonly identity: string | Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'secureContext'>;
  readonly clientId?: string;
}

export interface Outgoing {
  readonly payload: string | Buffer;
  readonly qos?: 0 | 1 | 2;
  readonly topic?: 'events' | 'status' | 'command-response';
  /** Sent before, on a connection that broke. */
  readonly dup?: boolean;
}

/** A reader over real mutual TLS that sends byte for byte what it is told, and knows what was acknowledged. */
export class Publisher {
  readonly serial: string;
  readonly socket: TLSSocket;
  closed = false;
  acknowledged = 0;
  readonly #waiting = new Map<number, () => void>();
  readonly #done: Promise<unknown>;
  #id = 0;
  #returnCode: number | null = null;
  #pongs = 0;

  private constructor(serial: string, socket: TLSSocket) {
    this.serial = serial;
    this.socket = socket;
    const packets = parser();
    packets.on('packet', (packet: Packet) => this.#take(packet));
    socket.on('data', (chunk: Buffer) => packets.parse(chunk));
    socket.on('error', () => {});
    this.#done = new Promise((resolve) => socket.once('close', resolve)).then(() => {
      this.closed = true;
    });
  }

  /** Connects and sends CONNECT; rejects when TLS or the broker refuses (`CONNACK 5`). */
  static async connect(options: PublisherOptions): Promise<Publisher> {
    const { url, serial, identity } = options;
    const { hostname: host, port } = new URL(url);
    const certificates = typeof identity === 'string' ? identityIn(identity) : identity;
    const socket = tls.connect({ host, port: Number(port), servername: 'localhost', ...certificates });
    await once(socket, 'secureConnect');
    socket.setNoDelay(true);
    const publisher = new Publisher(serial, socket);
    await publisher.#open(options.clientId ?? serial.replaceAll('-', ''));
    return publisher;
  }

  /** Sends one message; resolves at its answer (PUBACK, PUBCOMP; with QoS 0 at once), rejects when the connection ends first. */
  async publish(message: Outgoing): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#done.then(() => reject(new Error('the connection ended before the acknowledgement')));
      this.send(message, resolve);
    });
  }

  /** Sends one message without waiting; `onAcknowledged` is called at its answer. */
  send({ payload, qos = 1, topic = 'events', dup = false }: Outgoing, onAcknowledged = () => {}): void {
    const messageId = qos === 0 ? 0 : this.#nextId();
    if (qos > 0) this.#waiting.set(messageId, onAcknowledged);
    const name = `svc/v1/${this.serial}/${topic}`;
    this.write({ cmd: 'publish', topic: name, payload, qos, messageId, dup, retain: false });
    if (qos === 0) onAcknowledged();
  }

  get unanswered(): number {
    return this.#waiting.size;
  }

  write(packet: Packet | Buffer): boolean {
    return this.socket.write(Buffer.isBuffer(packet) ? packet : generate(packet));
  }

  /** Resolves when everything sent so far has been worked off: an answer came after it. */
  async ping(): Promise<void> {
    const before = this.#pongs;
    this.write({ cmd: 'pingreq' });
    await until('the answer to a ping', () => this.#pongs > before);
  }

  /** Resolves when the connection is closed, by whomever. */
  async ended(): Promise<void> {
    await this.#done;
  }

  async close(): Promise<void> {
    this.socket.destroy();
    await this.#done;
  }

  async #open(clientId: string): Promise<void> {
    this.write({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      clientId,
      keepalive: 60,
    });
    try {
      await until('CONNACK', () => this.#returnCode !== null || this.closed);
      if (this.#returnCode === 0) return;
    } finally {
      // Not left behind as a connection that nobody knows of.
      if (this.#returnCode !== 0) await this.close();
    }
    throw new Error(`CONNACK ${this.#returnCode ?? 'missing'}`);
  }

  #nextId(): number {
    do this.#id = (this.#id % 65_535) + 1;
    while (this.#waiting.has(this.#id));
    return this.#id;
  }

  #take(packet: Packet): void {
    if (packet.cmd === 'connack') this.#returnCode = packet.returnCode ?? -1;
    else if (packet.cmd === 'pingresp') this.#pongs++;
    else if (packet.cmd === 'pubrec') this.write({ cmd: 'pubrel', messageId: packet.messageId ?? 0 });
    else if (packet.cmd === 'puback' || packet.cmd === 'pubcomp') this.#answered(packet.messageId ?? 0);
  }

  #answered(id: number): void {
    const told = this.#waiting.get(id);
    if (!told) return;
    this.#waiting.delete(id);
    this.acknowledged++;
    told();
  }
}

function identityIn(dir: string): Pick<ConnectionOptions, 'ca' | 'cert' | 'key'> {
  const file = (name: string): Buffer => readFileSync(join(dir, name));
  return { ca: file('ca.crt'), cert: file('client.crt'), key: file('client.key') };
}

/** One read in the plain form. */
export function plainRead(epc: string, more: { readonly port?: number; readonly at?: number } = {}): string {
  const timestamp = more.at === undefined ? {} : { timestamp: new Date(more.at).toISOString() };
  return JSON.stringify({ epc, antennaPort: more.port ?? 1, rssiCdbm: -5500, ...timestamp });
}
