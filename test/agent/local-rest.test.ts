import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LocalRest } from '../../src/agent/local-rest.ts';
import { type LocalInterface, startLocalInterface } from '../../src/simulator/local-interface.ts';
import { credentials, preset, selfSigned } from '../simulator/local-support.ts';
import { SERIAL } from './reader-bench.ts';

const dir = mkdtempSync(join(tmpdir(), 'tagkeep-rest-'));
let local: LocalInterface;
let rest: LocalRest;
beforeAll(async () => {
  local = await startLocalInterface({ dir, serial: SERIAL, tls: selfSigned, ...credentials });
  rest = new LocalRest({ base: local.url, login: credentials, timeoutMs: 500 });
});
afterEach(() => local.setFaults({}));
afterAll(async () => {
  rest.close();
  await local.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe("the reader's local interface", () => {
  it('is spoken to over HTTPS with its self-signed certificate, with Basic and JSON', async () => {
    expect(await rest.putPreset('p-1', preset())).toMatchObject({ kind: 'answer', status: 201 });
    expect(await rest.preset('p-1')).toEqual({ kind: 'answer', status: 200, body: preset() });
    expect(await rest.start('p-1')).toMatchObject({ status: 204 });
    expect(await rest.start('p-1')).toMatchObject({ status: 409 });
    expect(await rest.status()).toMatchObject({ body: { status: 'running', activePreset: { id: 'p-1' } } });
    expect(await rest.stop()).toMatchObject({ status: 204 });
    expect(await rest.schema()).toMatchObject({ status: 200 });
  });

  it('answers 401 to wrong credentials, which is an answer', async () => {
    const wrong = new LocalRest({ base: local.url, login: { user: 'root', password: 'wrong' } });
    expect(await wrong.status()).toMatchObject({ kind: 'answer', status: 401 });
    wrong.close();
  });

  it.each([500, 503, 429])('is away while it answers %i', async (status) => {
    local.setFaults({ failNext: { path: '/api/v1/profiles/stop', status } });
    expect(await rest.stop()).toEqual({ kind: 'away', reason: `it answers HTTP ${status}`, failing: true });
  });

  it.each(['before', 'after'] as const)('is away when the connection breaks %s the effect', async (when) => {
    local.setFaults({ dropNext: { path: '/api/v1/profiles/stop', when, times: 2 } });
    expect(await rest.stop()).toMatchObject({ kind: 'away', reason: expect.stringContaining('broke off') });
  });

  it('is away when it takes too long', async () => {
    local.setFaults({ delayMs: 3000, delayCalls: ['/api/v1/profiles/stop'] });
    expect(await rest.stop()).toEqual({ kind: 'away', reason: 'no answer in 0.5 s', failing: true });
  });

  it('is away when nobody listens', async () => {
    const nobody = new LocalRest({ base: 'https://127.0.0.1:9', login: credentials });
    expect(await nobody.status()).toEqual({ kind: 'away', reason: 'nobody listens there (ECONNREFUSED)' });
  });

  it('is away when what answers does not speak HTTP', async () => {
    const server = createTcp((socket) => socket.end('hello\r\n'));
    const odd = new LocalRest({ base: await listen(server, 'http'), login: credentials });
    expect(await odd.status()).toMatchObject({ kind: 'away' });
    odd.close();
    server.close();
  });

  it('is away when its answer is over 1 MB, and is not read further', async () => {
    const server = createServer((_, response) => {
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536, 'x')));
      };
      response.on('drain', more);
      more();
    });
    const endless = new LocalRest({ base: await listen(server, 'http'), login: credentials });
    expect(await endless.status()).toEqual({ kind: 'away', reason: 'an answer of over 1 MB' });
    endless.close();
    server.closeAllConnections();
    server.close();
  });

  it('is asked again at once when it had closed a connection that was kept', async () => {
    let requests = 0;
    const server: Server = createServer((request, response) => {
      requests += 1;
      // As when its keep-alive time was over while the request was on its way.
      if (requests === 2) request.socket.resetAndDestroy();
      else response.end('{}');
    });
    const kept = new LocalRest({ base: await listen(server, 'http'), login: credentials });
    expect(await kept.stop()).toMatchObject({ status: 200 });
    expect(await kept.stop()).toMatchObject({ status: 200 });
    expect(requests).toBe(3);
    kept.close();
    server.close();
  });
});

async function listen(server: ReturnType<typeof createTcp>, protocol: string): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address has a port
}
