import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startHttp, type TestServer } from '../support/http-server.ts';

const big = Buffer.alloc(8 * 1024 * 1024, 'tagkeep ');
const pages: Readonly<Record<string, string | Buffer>> = { '/bytes': big, '/text': big.toString() };

let server: TestServer;
afterEach(() => server.close());

async function start(): Promise<TestServer> {
  server = await startHttp([], {
    site: (path) => {
      const body = pages[path];
      return body === undefined ? null : { body, contentType: 'text/plain; charset=utf-8' };
    },
  });
  return server;
}

describe('a big answer', () => {
  test.each(Object.keys(pages))('%s arrives whole, with its length and type', async (path) => {
    const { origin } = await start();
    const answer = await fetch(origin + path);
    expect(answer.headers.get('content-length')).toBe(String(big.length));
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(Buffer.from(await answer.arrayBuffer()).equals(big)).toBe(true);
  });

  test('HEAD tells its length and sends nothing', async () => {
    const { origin } = await start();
    const answer = await fetch(`${origin}/bytes`, { method: 'HEAD' });
    expect(answer.headers.get('content-length')).toBe(String(big.length));
    expect(await answer.text()).toBe('');
  });

  test('waits in small parts for a client that does not read', async () => {
    const { port, server: node } = await start();
    const accepted = once(node, 'connection');
    const client = net.connect(port, '127.0.0.1').pause();
    client.on('error', () => {});
    client.write('GET /bytes HTTP/1.1\r\nHost: a\r\n\r\n');
    const [socket] = (await accepted) as [net.Socket]; // what the event carries
    // Until the kernel takes no more and some of it waits in the process.
    while (!(socket.writableLength > 0)) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(socket.bytesWritten).toBeLessThan(big.length);
    expect(socket.writableLength).toBeLessThan(256 * 1024);
    client.destroy();
  });
});
