import type { IncomingMessage } from 'node:http';
import { type Refusal, type Refused, refuse } from '../domain/refusal.ts';
import type { Access, Caller } from './route.ts';

/** What a request shows of who sends it. `address` is the socket's own peer: forwarded headers are not believed. */
export interface Credentials {
  /** What follows `Bearer ` in the Authorization header. */
  readonly bearer: string | null;
  /** The value of the session cookie. Null for a write another site's page makes a browser send. */
  readonly cookie: string | null;
  readonly address: string;
  readonly method: string;
}

/** The name of the cookie that carries a user's session. */
export const sessionCookie = 'tagkeep_session';

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]{1,512})$/i;

/** The caller of a public route: nobody. */
export function anonymous(address: string): Caller {
  return { orgId: '', id: '', email: '', role: 'operator', viaKey: false, address };
}

/** Reads the credentials of a request; throws 401 when the Authorization header is there but is no Bearer. */
export function credentialsOf(req: IncomingMessage): Credentials {
  const header = req.headers.authorization;
  const bearer = header === undefined ? null : (BEARER.exec(header)?.[1] ?? null);
  if (header !== undefined && bearer === null)
    throw refuse('unauthenticated', 'The Authorization header must be "Bearer <API key>".');
  const method = req.method ?? '';
  return { bearer, cookie: sessionTokenOf(req), address: req.socket.remoteAddress ?? '', method };
}

/** The value of the session cookie; null for a write another site's page makes a browser send. */
export function sessionTokenOf(req: IncomingMessage): string | null {
  return isForeignWrite(req) ? null : sessionOf(req.headers.cookie ?? '');
}

/**
 * For public routes that begin or end a session: throws 403 when another site's page makes a browser call them, as it
 * could log somebody in under its own name.
 */
export function refuseForeignWrite(req: IncomingMessage): void {
  if (isForeignWrite(req))
    throw refuse('forbidden', "Another site's page may not do this: it takes a page of this appliance.");
}

/** Why nobody was found behind the credentials. */
export function unauthenticated(credentials: Credentials): Refused {
  if (credentials.bearer !== null)
    return refuse('unauthenticated', 'The API key is unknown, revoked or expired.');
  if (credentials.cookie !== null) return refuse('unauthenticated', 'The session has ended: log in again.');
  return refuse('unauthenticated', 'No API key: send one in the header "Authorization: Bearer <API key>".');
}

/** Null when the caller may use a route of this access. API keys are refused administration whatever their role. */
export function accessRefusal(access: Access, caller: Caller): Refusal | null {
  if (access !== 'admin') return null;
  if (caller.viaKey) return { kind: 'forbidden', detail: 'API keys cannot be used for administration.' };
  return caller.role === 'admin' ? null : { kind: 'forbidden', detail: 'Only administrators may do this.' };
}

function sessionOf(header: string): string | null {
  for (const part of header.split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === sessionCookie && value) return value;
  }
  return null;
}

// Browsers say where a request comes from; one that is not from our own pages must not carry a user's session into a write.
function isForeignWrite(req: IncomingMessage): boolean {
  if (req.method === 'GET' || req.method === 'HEAD') return false;
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = req.headers.origin;
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== req.headers.host;
}
