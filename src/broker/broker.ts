import type { EventEmitter } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { isReaderSerial, topicOf } from '../contract/topics.ts';
import { ownClientId } from './client-id.ts';
import { defaultLimits, defaultMaxConnections, newCounters } from './default-limits.ts';
import { Flow } from './flow.ts';
import { deliverBeforeStoring } from './incoming.ts';
import { describe, Ingress } from './ingress.ts';
import { Link } from './link.ts';
import { attachLink, keepAliveOf, Links, linkOf } from './links.ts';
import { identify } from './peer.ts';
import { QuietLog } from './quiet-log.ts';
import { ReaderBroker } from './reader-broker.ts';
import { openReaderStore } from './reader-store.ts';
import type { Running } from './running.ts';
import { Serial } from './serial.ts';
import { shutDown } from './shut-down.ts';
import { listenTls, type TlsListener } from './tls-server.ts';
import type { Broker, BrokerOptions, OpenConnection } from './types.ts';

// Commands wait here for a free place, so that an agent which does not read cannot hold up the others.
const COMMANDS_UNDER_WAY = 10_000;
// What clients may send before their CONNACK; the default of 42 closes readers that publish their backlog at
// once.
const PACKETS_BEFORE_CONNACK = 1000;

/**
 * Starts the MQTT broker for readers: mutual TLS, MQTT 3.1 and 3.1.1, the certificate's name is the reader's
 * serial and opens the reader's own topics only (interface: reader command channel). Rejects in one line when
 * the store or the port cannot be had.
 */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const running = await assemble(options);
  const { limits, counters, quiet, aedes, store } = running;
  try {
    await aedes.listen();
    const listener = await listenTls({
      options,
      maxConnections: options.maxConnections ?? defaultMaxConnections,
      handshakeTimeoutMs: limits.handshakeTimeoutMs,
      counters,
      quiet,
      onSocket: connectionAccepter(running),
    });
    return handle(running, listener);
  } catch (error) {
    aedes.close();
    await store.close();
    throw error;
  }
}

async function assemble(options: BrokerOptions): Promise<Running> {
  const limits = { ...defaultLimits, ...options.limits };
  const counters = newCounters();
  const quiet = new QuietLog(options.log);
  const links = new Links();
  const ingress = new Ingress({ hooks: options.hooks, limits, counters, quiet });
  const isLive = links.isLive.bind(links);
  const store = await openReaderStore({ dir: options.dataDir, limits, log: options.log, isLive });
  deliverBeforeStoring(store.persistence, store.sessions, (link, packet) =>
    ingress.deliverOnce(link, packet),
  );
  const aedes = new ReaderBroker({
    ...ingress.handlers(),
    persistence: store.persistence,
    concurrency: COMMANDS_UNDER_WAY,
    queueLimit: PACKETS_BEFORE_CONNACK,
    connectTimeout: limits.connectTimeoutMs,
    drainTimeout: limits.drainTimeoutMs,
    heartbeatInterval: limits.heartbeatMs,
    // Of MQTT 3.1 only; ours is checked for every version, before the prefix is added.
    maxClientsIdLength: Number.MAX_SAFE_INTEGER,
  });
  const flow = new Flow(limits.unsettledTotalBytes);
  const running = { options, limits, counters, quiet, flow, links, ingress, store, aedes };
  listen(running);
  return running;
}

function listen({ aedes, ingress, counters, quiet, options }: Running): void {
  aedes.on('connackSent', (packet, client) => ingress.connected(packet, client));
  aedes.on('subscribe', (subscriptions, client) => ingress.subscribedTo(subscriptions, client));
  // Not in the package's types, but emitted: without a listener it would end the process.
  const emitter: EventEmitter = aedes;
  emitter.on('error', (error: Error) => options.log.error({ err: error }, 'broker error'));
  const closedByError = (client: { readonly closed: boolean }, error: Error): void => {
    // Aedes reports again what it tries to write to a connection it has closed.
    if (client.closed) return;
    counters.connectionErrors++;
    const link = linkOf(client);
    quiet.warn({ ...(link && describe(link)), reason: error.message }, 'connection closed by an error');
  };
  aedes.on('clientError', closedByError);
  aedes.on('connectionError', closedByError);
}

function connectionAccepter(running: Running): (socket: TLSSocket) => void {
  const { limits, counters, quiet, links, flow, ingress, aedes } = running;
  let count = 0;
  return (socket) => {
    count++;
    const parts = { id: `c${count}`, socket, identified: identify(socket), limits, flow, counters };
    const link = new Link({ ...parts, onTapped: (to, publish) => ingress.tapped(to, publish) });
    if (link.serial !== '' && links.count(link.serial) >= limits.connectionsPerName) {
      counters.connectionsRefusedByName++;
      quiet.warn(describe(link), 'connection refused: too many under this certificate name');
      socket.on('error', () => {});
      socket.destroy();
      return;
    }
    links.add(link);
    socket.once('close', () => {
      link.end();
      links.remove(link);
      ingress.disconnected(link);
    });
    const client = aedes.handle(socket);
    attachLink(client, link);
    // Aedes' own listener was there first: what it had queued is handled by now.
    client.once('connected', () => {
      link.keepAlive = keepAliveOf(client);
    });
  };
}

function handle(running: Running, listener: TlsListener): Broker {
  const { links, aedes, counters } = running;
  const commands = new Serial();
  let stopped: Promise<void> | null = null;
  return {
    port: listener.port,
    counters,
    replaceCertificate: (pair) => listener.replaceCertificate(pair),
    async publishCommand(serial, payload, options) {
      if (stopped) throw new Error('the broker is stopped');
      if (!isReaderSerial(serial)) throw new Error(`no reader serial: ${JSON.stringify(serial)}`);
      const bytes = Buffer.from(JSON.stringify(payload));
      await commands.run(serial, () =>
        aedes.command(topicOf(serial, 'commands'), bytes, options?.retain ?? true),
      );
    },
    openConnections: () => links.all().filter((link) => link.ready).length,
    connections: (serial) => links.of(serial).filter((link) => link.ready).length,
    opened: (serial) =>
      links
        .of(serial)
        .filter((link) => link.ready)
        .map(shown),
    agents: (serial) => links.of(serial).filter((link) => link.ready && link.subscribed).length,
    disconnect: (serial) => cut(links.of(serial)),
    stop() {
      stopped ??= shutDown(running, listener);
      return stopped;
    },
  };
}

function shown({ clientId, address, readyAt }: Link): OpenConnection {
  return { clientId: ownClientId(clientId), address, connectedAt: readyAt };
}

async function cut(links: readonly Link[]): Promise<number> {
  const closed = links.map(
    (link) =>
      new Promise<void>((resolve) => {
        link.socket.once('close', () => resolve());
        link.abort(new Error('cut by the service'));
      }),
  );
  await Promise.all(closed);
  return links.length;
}
