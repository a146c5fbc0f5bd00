import { isLoopbackHost } from './loopback.ts';

/**
 * What every answer says to browsers, whatever wrote it: nothing is guessed, framed, run or told to other sites. Pages
 * that run something say so with a policy of their own.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

const YEAR_SECONDS = 31_536_000;

/** For answers over HTTPS: the browser goes to this host with HTTPS only from now on. */
const strictTransport = { 'Strict-Transport-Security': `max-age=${YEAR_SECONDS}` } as const;

/**
 * What is added to an answer over HTTPS: `Strict-Transport-Security`, unless the host is `localhost`, which is whatever else
 * a developer runs there too.
 */
export function transportHeaders(isTls: boolean, hostname: string): Readonly<Record<string, string>> {
  const isOwnMachine = /(^|\.)localhost$/i.test(hostname);
  return isTls && !isOwnMachine ? strictTransport : {};
}

interface At {
  readonly host: string;
  readonly port: number;
}

/**
 * Whether browsers may be told to come with HTTPS only. They keep the port of an `http://` address then, 80 excepted: where
 * plain HTTP is open to other machines on any other port, they would speak TLS to it and fail instead of being redirected.
 */
export function mayForceHttps({ http, https }: { readonly http: At; readonly https: At }): boolean {
  return isLoopbackHost(http.host) || (http.port === 80 && https.port === 443);
}
