import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { tlsCiphers, tlsGroups } from '../lib/tls-rules.ts';
import { type ProtocolKind, protocolProblem } from './problem.ts';
import { securityHeaders } from './security-headers.ts';

/** PEM texts: a private key and the certificate chain that belongs to it. */
export interface KeyAndChain {
  readonly key: string;
  readonly cert: string;
}

/** Where to listen and for whom. With `tls` the server speaks HTTPS only. */
export interface ListenOptions {
  readonly handler: http.RequestListener;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly tls?: KeyAndChain;
  /** Further connections are closed at once. Default 4,000: streams of several organisations and the rest. */
  readonly maxConnections?: number;
  /** For tests. */
  readonly timeouts?: Partial<typeof timeouts>;
}

/** A running server. `origin` has no path: `http://127.0.0.1:8080`. */
export interface Listening {
  readonly origin: string;
  readonly port: number;
  readonly server: http.Server;
  /**
   * What new connections are shown from now on; open ones go on. Throws, and keeps the old one, when the two can't be used.
   * Without TLS it does nothing.
   */
  replaceCertificate(tls: KeyAndChain): void;
  /** Stops accepting, lets running requests end for a second, then cuts what is left. Ends within two seconds. */
  close(): Promise<void>;
}

const timeouts = {
  /** Connections to HTTPS only: TLS is to be agreed on by then. */
  handshakeTimeout: 10_000,
  /** The headers of a request have to be here by then (408). */
  headersTimeout: 10_000,
  /** All of a request, an upload of 64 MB included (408). An answer may take as long as it likes: streams do. */
  requestTimeout: 120_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
};

/** A connection on which nothing moves in either direction is closed; streams lift this for themselves. */
const IDLE_TIMEOUT_MS = 300_000;
const CLOSE_GRACE_MS = 1000;
const MAX_HEADER_BYTES = 16 * 1024;

const tlsRules = {
  minVersion: 'TLSv1.2',
  ciphers: tlsCiphers,
  ecdhCurve: tlsGroups(process.versions.openssl),
  honorCipherOrder: true,
} as const;

/** Starts a server with limits on everything a client can stretch. Rejects when the address can't be had. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const server = build(options);
  server.maxConnections = options.maxConnections ?? 4000;
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.on('checkContinue', options.handler);
  server.on('clientError', answerBrokenRequest);
  // Node leaves these open, those whose handshake has timed out among them: an answer would wait for its end for ever.
  server.on('tlsClientError', (_error: Error, socket: Duplex) => socket.destroy());
  const sockets = socketsOf(server, options.tls !== undefined);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  // A server on a TCP port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${options.tls ? 'https' : 'http'}://${nameOf(options.host)}:${port}`,
    port,
    server,
    replaceCertificate: (tls) => {
      // What is not said again would be Node's default from then on.
      if (server instanceof https.Server)
        server.setSecureContext({ ...tlsRules, key: tls.key, cert: tls.cert });
    },
    close: () => close(server, sockets),
  };
}

/** How a client on this machine addresses the host; "any address" is no address to go to. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function build({ handler, tls, timeouts: changed }: ListenOptions): http.Server {
  const rules = { ...timeouts, ...changed, maxHeaderSize: MAX_HEADER_BYTES, noDelay: true };
  return tls
    ? https.createServer({ ...rules, ...tlsRules, ...tls }, handler)
    : http.createServer(rules, handler);
}

// Sockets still in their TLS handshake are unknown to `closeAllConnections`.
function socketsOf(server: http.Server, isTls: boolean): Set<Socket> {
  const sockets = new Set<Socket>();
  if (isTls)
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
  return sockets;
}

async function close(server: http.Server, sockets: Set<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of sockets) socket.destroy();
  }, CLOSE_GRACE_MS);
  await closed;
  clearTimeout(cut);
}

// Requests the parser gives up on never reach the kernel, so their problem details are written here.
function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = protocolProblem(...brokenRequest(error.code));
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${http.STATUS_CODES[problem.status]}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function brokenRequest(code: string | undefined): [ProtocolKind, string] {
  if (code === 'HPE_HEADER_OVERFLOW')
    return ['headers-too-large', `The headers may have ${MAX_HEADER_BYTES} bytes.`];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['request-timeout', 'The request did not arrive in time.'];
  return ['malformed-request', 'This is not a request of HTTP/1.1.'];
}
