import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/listen.ts';
import { ownCertificate } from '../support/bench-reader.ts';
import { rawRequest } from '../support/http-raw.ts';
import { until } from '../support/wait.ts';

const host = '127.0.0.1';
const handler = (_: unknown, res: { end(text: string): void }): void => res.end('ok');

describe('a server', () => {
  test('port 0 is any free port, told in the origin', async () => {
    const server = await listen({ handler, host, port: 0 });
    expect(server.origin).toBe(`http://127.0.0.1:${server.port}`);
    expect(await (await fetch(server.origin)).text()).toBe('ok');
    await server.close();
    await expect(fetch(server.origin)).rejects.toThrow();
  });

  test('a port in use is refused', async () => {
    const server = await listen({ handler, host, port: 0 });
    await expect(listen({ handler, host, port: server.port })).rejects.toThrow('EADDRINUSE');
    await server.close();
  });

  test('close ends within two seconds with an endless stream, an idle connection and half a request open', async () => {
    const server = await listen({ handler: (_, res) => void res.write('endless'), host, port: 0 });
    const stream = await fetch(server.origin);
    const sockets = [net.connect(server.port, host), net.connect(server.port, host)];
    for (const socket of sockets) {
      socket.on('error', () => {});
      await once(socket, 'connect');
    }
    sockets[0]?.write('GET / HTTP/1.1\r\nHo');
    const startedAt = performance.now();
    await server.close();
    expect(performance.now() - startedAt).toBeLessThan(2000);
    await expect(stream.text()).rejects.toThrow();
  });

  test('headers that do not arrive in time get 408', async () => {
    const timeouts = { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 };
    const server = await listen({ handler, host, port: 0, timeouts });
    expect(await rawRequest(server.port, 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow')).toMatch(
      /^HTTP\/1\.1 408 [\s\S]*"type":"\/problems\/request-timeout"/,
    );
    await server.close();
  });

  test('a TLS handshake that does not come to its end in time is cut, whatever trickles in', async () => {
    const timeouts = { handshakeTimeout: 300 };
    const server = await listen({ handler, host, port: 0, tls: ownCertificate('localhost'), timeouts });
    const sockets = ['', '1603010200010001fc0303', '474554202f20485454502f312e310d0a'].map((hex) => {
      const socket = net.connect(server.port, host, () => socket.write(Buffer.from(hex, 'hex')));
      socket.on('error', () => {});
      socket.resume();
      return socket;
    });
    const trickle = setInterval(() => sockets[1]?.write('.'), 50);
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    clearInterval(trickle);
    await until('the server to have forgotten them', () =>
      connectionsOf(server).then((count) => count === 0),
    );
    await server.close();
  });

  test('connections above the limit are closed at once', async () => {
    const server = await listen({ handler: () => {}, host, port: 0, maxConnections: 1 });
    const first = net.connect(server.port, host);
    first.on('error', () => {});
    await once(first, 'connect');
    expect(
      await rawRequest(server.port, 'GET / HTTP/1.1\r\n').catch(
        (error: NodeJS.ErrnoException) => error.code ?? '',
      ),
    ).toMatch(/^(|ECONNRESET|EPIPE)$/);
    first.destroy();
    await server.close();
  });
});

function connectionsOf({ server }: Listening): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}
