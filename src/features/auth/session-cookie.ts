import type { IncomingMessage } from 'node:http';
import { sessionCookie } from '../../http/access.ts';
import { sessionRules } from '../../store/sessions.ts';

/** The header that gives a browser its session: out of reach for scripts and for other sites' pages. */
export function setCookie(req: IncomingMessage, token: string): Readonly<Record<string, string>> {
  return header(req, token, sessionRules.absoluteMs / 1000);
}

/** The header that takes it away again. */
export function clearCookie(req: IncomingMessage): Readonly<Record<string, string>> {
  return header(req, '', 0);
}

function header(req: IncomingMessage, value: string, maxAge: number): Readonly<Record<string, string>> {
  const parts = [`${sessionCookie}=${value}`, 'Path=/', `Max-Age=${maxAge}`, 'HttpOnly', 'SameSite=Strict'];
  // On plain HTTP, which is for the loopback address, browsers would not take a secure one.
  const isTls = 'encrypted' in req.socket && req.socket.encrypted === true;
  return { 'Set-Cookie': (isTls ? [...parts, 'Secure'] : parts).join('; ') };
}
