// The yardstick: Aedes as it comes, over the same TLS, with nothing behind it but a counter.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { Aedes } from 'aedes';
import { serveParent } from './ipc.ts';

export interface AedesTargetOptions {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

let published = 0;

async function listen(options: AedesTargetOptions): Promise<number> {
  const aedes = await Aedes.createBroker();
  aedes.on('publish', (_packet, client) => {
    if (client) published++;
  });
  const tls = {
    ...options,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    noDelay: true,
  } as const;
  const server = createServer(tls, (socket: TLSSocket) => aedes.handle(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address with one.
  return (server.address() as AddressInfo).port;
}

serveParent({ listen, published: () => published });
