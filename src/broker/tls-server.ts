import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls';
import { tlsCiphers, tlsGroups } from '../lib/tls-rules.ts';
import type { QuietLog } from './quiet-log.ts';
import { tlsFailure } from './tls-failure.ts';
import type { BrokerCounters, BrokerOptions, ServerPem } from './types.ts';

/** Security level 2, whatever the Node version's own: no RSA key under 2048 bits and no SHA-1 in any certificate. */
const cipherList = `${tlsCiphers}:@SECLEVEL=2`;

const TCP_KEEP_ALIVE_MS = 60_000;

export interface TlsServerParts {
  readonly options: BrokerOptions;
  readonly maxConnections: number;
  readonly handshakeTimeoutMs: number;
  readonly counters: BrokerCounters;
  readonly quiet: QuietLog;
  readonly onSocket: (socket: TLSSocket) => void;
}

export interface TlsListener {
  readonly port: number;
  /** As `Broker.replaceCertificate`. */
  replaceCertificate(pair: ServerPem): void;
  /** No more connections. */
  close(): void;
  /** Cuts what is left, connections whose handshake never came to its end among them. */
  cutAll(): void;
}

/**
 * A server that only lets certificates of our authority through, already listening. Rejects when the port is
 * taken.
 */
export async function listenTls(parts: TlsServerParts): Promise<TlsListener> {
  const server = createServer({
    ...contextOf(parts.options),
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: parts.handshakeTimeoutMs,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
  });
  server.maxConnections = parts.maxConnections;
  server.on('secureConnection', parts.onSocket);
  reportFailures(server, parts);
  const sockets = socketsOf(server);
  server.listen(parts.options.port, parts.options.host);
  await once(server, 'listening');
  server.on('error', (error) => parts.quiet.warn({ err: error }, 'broker listener failed'));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    replaceCertificate: (pair) => server.setSecureContext(contextOf({ ...parts.options, ...pair })),
    close: () => void server.close(),
    cutAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

// No fixed ticketKeys: sessions end with the process, and with the certificate.
function contextOf({
  caPem,
  certPem,
  keyPem,
}: ServerPem & Pick<BrokerOptions, 'caPem'>): SecureContextOptions {
  return {
    ca: caPem,
    cert: certPem,
    key: keyPem,
    minVersion: 'TLSv1.2',
    ciphers: cipherList,
    ecdhCurve: tlsGroups(process.versions.openssl),
    honorCipherOrder: true,
  };
}

// Nobody else knows the sockets that are still in their handshake.
function socketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

function reportFailures(server: Server, { counters, quiet }: TlsServerParts): void {
  // Asked once while it is open, the address is still known when the handshake has failed.
  server.on('connection', (socket) => socket.remoteAddress);
  server.on('tlsClientError', (error, socket) => {
    // After a handshake timeout Node reports and leaves the socket open.
    socket.destroy();
    counters.tlsErrors++;
    quiet.warn({ address: addressOf(socket), ...tlsFailure(error, socket) }, 'TLS handshake failed');
  });
  server.on('drop', (data) => {
    counters.connectionsDropped++;
    quiet.warn({ address: data?.remoteAddress }, 'connection dropped: too many connections');
  });
}

function addressOf(socket: TLSSocket): string | undefined {
  // A closed TLS socket has forgotten its address; the TCP socket below, which Node keeps in an undocumented
  // field, has not.
  const { _parent: below } = socket as { readonly _parent?: { readonly remoteAddress?: string } };
  return socket.remoteAddress ?? below?.remoteAddress;
}
