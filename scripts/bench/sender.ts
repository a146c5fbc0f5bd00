import { once } from 'node:events';
import tls from 'node:tls';
import { generate, parser } from 'mqtt-packet';
import { Clock, stamp, type Template } from './message.ts';

/** A reader's way to the broker; certificates and keys are PEM texts. */
export interface SenderOptions {
  readonly host: string;
  readonly port: number;
  readonly serial: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const PUBACK = 0x40;
const CONNECT_MS = 10_000;

/** One reader: sends pre-encoded QoS 1 messages, as many unanswered at a time as it is allowed, and counts the answers. */
export class Sender {
  readonly #socket: tls.TLSSocket;
  readonly #clock = new Clock();
  readonly #onFailure: (error: Error) => void;
  #templates: readonly Template[] = [];
  #next = 0;
  #id = 0;
  #refill = false;
  /** Where in a PUBACK the stream stands, 0 to 3. */
  #ackByte = 0;
  sent = 0;
  acked = 0;

  private constructor(socket: tls.TLSSocket, onFailure: (error: Error) => void) {
    this.#socket = socket;
    this.#onFailure = onFailure;
  }

  /** Resolves when the broker has accepted the connection; `onFailure` is told when it ends without being asked to. */
  static async connect(options: SenderOptions, onFailure: (error: Error) => void): Promise<Sender> {
    const { serial, ...connection } = options;
    // One cipher for every broker, so that none is measured with a dearer one.
    const socket = tls.connect({ ...connection, servername: 'localhost', ciphers: 'TLS_AES_128_GCM_SHA256' });
    const limit = setTimeout(
      () => socket.destroy(new Error(`${serial}: no answer in ${CONNECT_MS} ms`)),
      CONNECT_MS,
    );
    try {
      await once(socket, 'secureConnect');
      socket.setNoDelay(true);
      await connack(socket, serial);
    } finally {
      clearTimeout(limit);
    }
    const sender = new Sender(socket, onFailure);
    sender.#listen(serial);
    return sender;
  }

  get unanswered(): number {
    return this.sent - this.acked;
  }

  /** What to send from now on; the same again goes on where it was. */
  load(templates: readonly Template[]): void {
    if (templates === this.#templates) return;
    this.#templates = templates;
    this.#next = 0;
  }

  /** Keeps `window` messages on the way until `hold`. */
  keepUp(window: number): void {
    this.#refill = true;
    this.send(window - this.unanswered);
  }

  hold(): void {
    this.#refill = false;
  }

  /** Sends the next `count` messages in one write. */
  send(count: number): void {
    if (count <= 0) return;
    const chosen: Template[] = [];
    let length = 0;
    for (let i = 0; i < count; i++) {
      const template = this.#templates[this.#next++ % this.#templates.length];
      if (!template) throw new Error('nothing to send');
      chosen.push(template);
      length += template.bytes.length;
    }
    const out = Buffer.allocUnsafe(length);
    this.#clock.sync(Date.now());
    let at = 0;
    for (const template of chosen) at = stamp(out, at, { template, id: this.#nextId(), clock: this.#clock });
    this.sent += count;
    this.#socket.write(out);
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #nextId(): number {
    this.#id = (this.#id % 65_535) + 1;
    return this.#id;
  }

  #listen(serial: string): void {
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk, serial));
    this.#socket.on('error', () => {});
    this.#socket.once('close', () =>
      this.#onFailure(new Error(`${serial}: the broker closed the connection`)),
    );
  }

  #take(chunk: Buffer, serial: string): void {
    let acks = 0;
    for (const byte of chunk) {
      if (this.#ackByte === 0 && byte !== PUBACK) {
        this.#onFailure(new Error(`${serial}: the broker sent something else than PUBACK: ${byte}`));
        return;
      }
      this.#ackByte = (this.#ackByte + 1) & 3;
      if (this.#ackByte === 0) acks++;
    }
    this.acked += acks;
    if (this.#refill) this.send(acks);
  }
}

async function connack(socket: tls.TLSSocket, serial: string): Promise<void> {
  const answers = parser();
  const code = new Promise<number>((resolve, reject) => {
    answers.once('packet', (packet) => resolve(packet.cmd === 'connack' ? (packet.returnCode ?? -1) : -1));
    answers.once('error', reject);
    socket.once('close', () => reject(new Error(`${serial}: the broker closed the connection`)));
    socket.once('error', reject);
  });
  const take = (chunk: Buffer): void => void answers.parse(chunk);
  socket.on('data', take);
  const connect = {
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    keepalive: 600,
  } as const;
  socket.write(generate({ ...connect, clientId: `bench${serial.replaceAll('-', '')}` }));
  const returnCode = await code;
  socket.removeAllListeners();
  if (returnCode !== 0)
    throw new Error(`${serial}: the broker refused the connection with code ${returnCode}`);
}
