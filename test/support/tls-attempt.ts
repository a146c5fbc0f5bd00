import tls, { type ConnectionOptions } from 'node:tls';
import { generate, type Packet, parser } from 'mqtt-packet';
import { connectPacket, publishPacket } from './mqtt-raw.ts';
import { plainRead } from './publisher.ts';
import { until } from './wait.ts';

export interface Attempt {
  /** The CONNACK's return code; null when there was none, because TLS did not let the client through. */
  readonly returnCode: number | null;
  /** Whether the broker closed the connection. */
  readonly closed: boolean;
  /** Whether what was published along with CONNECT was acknowledged. */
  readonly acknowledged: boolean;
  /** Whether TLS took up an earlier session. */
  readonly resumed: boolean;
}

/** A read to publish along with CONNECT, without waiting for an answer. */
export interface Tried {
  readonly url: string;
  readonly tls: ConnectionOptions;
  /** Whose events it claims to be. */
  readonly serial: string;
  readonly epc: string;
}

/** What becomes of a client that sends CONNECT and a QoS 1 publish as soon as its own side of TLS lets it. */
export async function attempt(tried: Tried): Promise<Attempt> {
  const { hostname: host, port } = new URL(tried.url);
  const socket = tls.connect({ host, port: Number(port), servername: 'localhost', ...tried.tls });
  const state = { returnCode: null as number | null, closed: false, acknowledged: false, resumed: false };
  const packets = parser();
  packets.on('packet', (packet: Packet) => {
    if (packet.cmd === 'connack') state.returnCode = packet.returnCode ?? null;
    if (packet.cmd === 'puback') state.acknowledged = true;
  });
  socket.on('data', (chunk: Buffer) => packets.parse(chunk));
  socket.on('error', () => {});
  socket.once('close', () => {
    state.closed = true;
  });
  const events = publishPacket(`svc/v1/${tried.serial}/events`, plainRead(tried.epc), 1);
  const packet = Buffer.concat([generate(connectPacket()), generate(events)]);
  socket.once('secureConnect', () => {
    state.resumed = socket.isSessionReused();
    socket.write(packet);
  });
  // Whoever gets in is answered; whoever does not is cut off.
  await until('an end of the attempt', () => state.closed || state.acknowledged);
  const outcome = { ...state };
  socket.destroy();
  return outcome;
}
