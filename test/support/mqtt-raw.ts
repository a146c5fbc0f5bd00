import { once } from 'node:events';
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls';
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet';
import { vi } from 'vitest';

/** An MQTT client that sends exactly what it is told and notes what comes back. */
export class RawClient {
  readonly socket: TLSSocket;
  readonly received: Packet[] = [];
  closed = false;

  constructor(socket: TLSSocket) {
    this.socket = socket;
    const packets = parser();
    packets.on('packet', (packet: Packet) => this.received.push(packet));
    socket.on('data', (chunk: Buffer) => packets.parse(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
    });
  }

  static async open(options: ConnectionOptions): Promise<RawClient> {
    const socket = tls.connect({ servername: 'localhost', ...options });
    await once(socket, 'secureConnect');
    return new RawClient(socket);
  }

  send(...packets: (Packet | Buffer)[]): void {
    this.socket.write(
      Buffer.concat(packets.map((packet) => (Buffer.isBuffer(packet) ? packet : generate(packet)))),
    );
  }

  /** Sends CONNECT and answers the CONNACK's return code. */
  async connect(packet: Partial<IConnectPacket> = {}): Promise<number | undefined> {
    this.send(connectPacket(packet));
    const answer = await this.next('connack');
    return answer.cmd === 'connack' ? answer.returnCode : undefined;
  }

  publish(topic: string, payload: string, how: How): void {
    this.send(publishPacket(topic, payload, how));
  }

  /** The first packet of that kind, once it is there. */
  async next(cmd: Packet['cmd']): Promise<Packet> {
    return vi.waitUntil(() => this.received.find((packet) => packet.cmd === cmd), {
      timeout: 10_000,
      interval: 5,
    });
  }

  /** The message ids of the answers of one kind, in order. */
  ids(cmd: Packet['cmd']): (number | undefined)[] {
    return this.received.filter((packet) => packet.cmd === cmd).map((packet) => packet.messageId);
  }

  /** Resolves when everything sent so far has been worked off in order: a PINGRESP came after it. */
  async ping(): Promise<void> {
    const before = this.ids('pingresp').length;
    this.send({ cmd: 'pingreq' });
    await vi.waitUntil(() => this.ids('pingresp').length > before, { timeout: 10_000, interval: 5 });
  }

  async untilClosed(timeout = 10_000): Promise<void> {
    await vi.waitUntil(() => this.closed, { timeout, interval: 5 });
  }

  destroy(): void {
    this.socket.destroy();
  }
}

export function connectPacket(more: Partial<IConnectPacket> = {}): Packet {
  return {
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    clientId: 'client',
    keepalive: 60,
    ...more,
  };
}

/** A message identifier, for QoS 1 without flags, or all of it. */
export type How =
  | number
  | { readonly id: number; readonly qos?: 0 | 1 | 2; readonly dup?: boolean; readonly retain?: boolean };

export function publishPacket(topic: string, payload: string, how: How): Packet {
  const { id, ...more } = typeof how === 'number' ? { id: how } : how;
  return { cmd: 'publish', topic, payload, messageId: id, qos: 1, dup: false, retain: false, ...more };
}
