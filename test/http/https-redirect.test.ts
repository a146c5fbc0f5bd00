import { afterEach, describe, expect, test } from 'vitest';
import { redirectToHttps } from '../../src/http/https-redirect.ts';
import { type Listening, listen } from '../../src/http/listen.ts';
import { rawRequest } from '../support/http-raw.ts';

let server: Listening;
afterEach(() => server.close());

/** A plain server as somebody on another machine meets it, unless `maySpeakPlain` says otherwise. */
async function plain(more: { maySpeakPlain?: () => boolean; httpsPort?: number } = {}): Promise<void> {
  const options = { httpsPort: 8443, maySpeakPlain: () => false, ...more };
  const handler = redirectToHttps({ ...options, handler: (req, res) => res.end(`plain ${req.url}`) });
  server = await listen({ handler, host: '127.0.0.1', port: 0 });
}

function ask(target: string, { method = 'GET', host = 'box.example:8080', more = '' } = {}): Promise<string> {
  const lines = [`${method} ${target} HTTP/1.1`, ...(host ? [`Host: ${host}`] : []), 'Connection: close'];
  return rawRequest(server.port, Buffer.from(`${lines.join('\r\n')}\r\n${more}\r\n`, 'latin1'));
}

const locationOf = (answer: string): string | undefined => /^location: (.*)\r$/im.exec(answer)?.[1];

describe('plain HTTP from another machine', () => {
  test('is sent to HTTPS with 308: same host, path and query, whatever the method', async () => {
    await plain();
    for (const method of ['GET', 'POST', 'DELETE', 'HEAD']) {
      const answer = await ask('/api/v1/tags?cursor=a%20b&limit=5', { method });
      expect(answer).toMatch(/^HTTP\/1\.1 308 /);
      expect(locationOf(answer)).toBe('https://box.example:8443/api/v1/tags?cursor=a%20b&limit=5');
    }
  });

  test.each([
    ['/healthz', true],
    ['/readyz?x=1', true],
    ['/metrics', true],
    ['/healthz/', false],
    ['/metricsx', false],
    ['/docs', false],
    ['/pki/ca.crt', false],
  ])('%s is answered in plain: %s', async (target, isPlain) => {
    await plain();
    const answer = await ask(target);
    expect(answer).toContain(isPlain ? `plain ${target}` : ' 308 ');
  });

  test.each([
    ['box.example', 'https://box.example:8443/x'],
    ['10.1.2.3:8080', 'https://10.1.2.3:8443/x'],
    ['[fd00::5]:8080', 'https://[fd00::5]:8443/x'],
    ['evil.example/path', 'https://127.0.0.1:8443/x'],
    ['user@evil.example', 'https://127.0.0.1:8443/x'],
    ['a b', 'https://127.0.0.1:8443/x'],
  ])('host %j leads to %s: only a name or an address is repeated', async (host, location) => {
    await plain();
    expect(locationOf(await ask('/x', { host }))).toBe(location);
  });

  test('port 443 is not named', async () => {
    await plain({ httpsPort: 443 });
    expect(locationOf(await ask('/x'))).toBe('https://box.example/x');
  });

  test('a whole address and two slashes stay a path of this host; bytes outside ASCII go nowhere', async () => {
    await plain();
    expect(locationOf(await ask('http://other.example/x?y=1'))).toBe('https://box.example:8443/x?y=1');
    expect(locationOf(await ask('//evil.example/x'))).toBe('https://box.example:8443//evil.example/x');
    for (const target of ['/a\xe4', '/a\x01', '/a\tb']) expect(await ask(target)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('what is no path, or too long for one, is left to the service to refuse', async () => {
    await plain();
    for (const target of ['*', `/${'a'.repeat(8001)}`])
      expect(await ask(target, { method: 'OPTIONS' })).toContain('plain ');
  });

  test('an upload is sent away before its body comes', async () => {
    await plain();
    const more = 'Content-Length: 5000000\r\nExpect: 100-continue\r\n';
    expect(await ask('/api/v1/import', { method: 'POST', more })).toMatch(/^HTTP\/1\.1 308 /);
  });

  test('the answer carries the security headers and is not kept', async () => {
    await plain();
    const answer = await ask('/');
    for (const line of [
      'X-Content-Type-Options: nosniff',
      'X-Frame-Options: DENY',
      'Cache-Control: no-store',
    ])
      expect(answer).toContain(line);
    expect(answer).not.toContain('Strict-Transport-Security');
  });
});

test('on loopback everything stays plain', async () => {
  const handler = redirectToHttps({ httpsPort: 8443, handler: (_, res) => res.end('plain') });
  server = await listen({ handler, host: '127.0.0.1', port: 0 });
  const answer = await fetch(`${server.origin}/api/v1/tags`, { redirect: 'manual' });
  expect([answer.status, await answer.text()]).toEqual([200, 'plain']);
});
