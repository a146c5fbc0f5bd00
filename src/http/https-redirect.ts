import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isLoopback } from './loopback.ts';
import { securityHeaders } from './security-headers.ts';

export interface HttpsRedirectOptions {
  /** What answers on plain HTTP when nobody is sent away. */
  readonly handler: RequestListener;
  readonly httpsPort: number;
  /** Who may stay on plain HTTP; by default who is on this machine. */
  readonly maySpeakPlain?: (req: IncomingMessage) => boolean;
}

/** For probes and monitoring, which tell nothing of an organisation. */
const plainPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
const DEFAULT_PORT = 443;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]{1,253})(:\d{1,5})?$/i;
/** Longer ones are refused by the handler. */
const TARGET_MAX_LENGTH = 8000;

/**
 * Sends plain HTTP from other machines to HTTPS: 308 to the same host, path and query, so that the method stays. Probes
 * and metrics are answered in plain, and so is everything on loopback, where nobody listens in.
 */
export function redirectToHttps(options: HttpsRedirectOptions): RequestListener {
  const { handler, httpsPort, maySpeakPlain = isLocal } = options;
  return (req, res) => {
    const target = targetOf(req.url ?? '');
    const stays = target === null || plainPaths.has(target.pathname) || maySpeakPlain(req);
    if (stays) handler(req, res);
    else redirect(res, `https://${authorityOf(req, httpsPort)}${target.path}`);
  };
}

/** Whether the other end of the connection is this machine. */
function isLocal({ socket }: IncomingMessage): boolean {
  return isLoopback(socket.remoteAddress ?? '');
}

interface Target {
  readonly pathname: string;
  /** With the query. Node lets printable ASCII through only. */
  readonly path: string;
}

/** Null: nothing that HTTPS would understand either; the handler says what is wrong with it. */
function targetOf(url: string): Target | null {
  if (url.length > TARGET_MAX_LENGTH) return null;
  // As a proxy sends it: the whole address.
  const path = url.startsWith('/') ? url : pathOfAddress(url);
  if (path === null) return null;
  const [pathname = ''] = path.split('?', 1);
  return { pathname, path };
}

function pathOfAddress(address: string): string | null {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/** The host as the client called it, else the address it came to. */
function authorityOf({ headers, socket }: IncomingMessage, httpsPort: number): string {
  const name = HOST.exec(headers.host ?? '')?.[1] ?? bracketed(socket.localAddress ?? 'localhost');
  return httpsPort === DEFAULT_PORT ? name : `${name}:${httpsPort}`;
}

function bracketed(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return plain.includes(':') ? `[${plain}]` : plain;
}

function redirect(res: ServerResponse, location: string): void {
  const body = `This service speaks HTTPS: ${location}\n`;
  res.writeHead(308, {
    ...securityHeaders,
    Location: location,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    // The operator may open or close plain HTTP tomorrow.
    'Cache-Control': 'no-store',
    // A body that comes with the request is not read.
    Connection: 'close',
  });
  res.end(body);
}
