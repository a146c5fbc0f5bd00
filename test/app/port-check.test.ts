import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { checkPorts } from '../../src/app/port-check.ts';

const servers: Server[] = [];

async function occupy(): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return address.port;
}

async function freePort(): Promise<number> {
  const port = await occupy();
  const server = servers.pop();
  await new Promise((resolve) => server?.close(resolve));
  return port;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

const local = (name: string, port: number) => ({ name, host: '127.0.0.1', port });

describe('checking the ports', () => {
  it('leaves free ones free, however often', async () => {
    const port = await freePort();
    await checkPorts([local('http', port), local('https', 0)]);
    await checkPorts([local('http', port), local('https', 0)]);
  });

  it('names an address in use, its option, and what to do', async () => {
    const port = await occupy();
    await expect(checkPorts([local('http', 0), local('mqtts', port)])).rejects.toThrow(
      `127.0.0.1:${port} (mqtts.port) is in use by another program; stop it or choose another port`,
    );
  });

  it('gives up the ports it tried when a later one fails', async () => {
    const port = await freePort();
    const taken = await occupy();
    await expect(checkPorts([local('http', port), local('https', taken)])).rejects.toThrow(/https\.port/);
    await checkPorts([local('http', port)]);
  });

  it('names a host that is no address of this machine', async () => {
    await expect(checkPorts([{ name: 'https', host: '192.0.2.1', port: 0 }])).rejects.toThrow(
      '192.0.2.1 (https.host) is not an address of this machine',
    );
  });

  it('answers in one line whatever the host', async () => {
    const failing = checkPorts([{ name: 'http', host: 'no such host', port: 0 }]);
    await expect(failing).rejects.toThrow(/^no such host:0 \(http\.port\) can't be listened on: [^\n]+$/);
  });
});
