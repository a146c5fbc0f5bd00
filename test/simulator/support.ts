import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { Aedes } from 'aedes';

/** Certificates made by the openssl program, so that nothing of the appliance signs or checks itself. */
export class TestPki {
  readonly dir = mkdtempSync(join(tmpdir(), 'tagkeep-simulator-'));

  constructor() {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const extensions = ['-addext', 'basicConstraints=critical,CA:TRUE'];
    this.#openssl(['req', '-x509', ...key, '-days', '2', '-subj', '/CN=test root', ...extensions], 'ca');
    this.issue('server', {
      subject: '/CN=localhost',
      extension: 'subjectAltName=IP:127.0.0.1,DNS:localhost',
    });
  }

  /** Writes NAME.crt and NAME.key signed by the root. */
  issue(name: string, options: { subject: string; extension: string }): void {
    const request = join(this.dir, `${name}.csr`);
    const file = join(this.dir, `${name}.ext`);
    writeFileSync(file, options.extension);
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    run([
      'req',
      '-new',
      ...key,
      '-subj',
      options.subject,
      '-keyout',
      this.path(`${name}.key`),
      '-out',
      request,
    ]);
    const signer = ['-CA', this.path('ca.crt'), '-CAkey', this.path('ca.key'), '-CAcreateserial'];
    run([
      'x509',
      '-req',
      '-in',
      request,
      ...signer,
      '-days',
      '2',
      '-extfile',
      file,
      '-out',
      this.path(`${name}.crt`),
    ]);
  }

  /** A folder as a reader has it, with ca.crt, client.crt and client.key for this common name. */
  identityDir(commonName: string): string {
    const name = `reader-${commonName.replaceAll(/[^\w-]/g, '_')}`;
    this.issue(name, { subject: `/CN=${commonName}`, extension: 'extendedKeyUsage=clientAuth' });
    const dir = join(this.dir, `${name}.d`);
    mkdirSync(dir);
    for (const [from, to] of [
      ['ca.crt', 'ca.crt'],
      [`${name}.crt`, 'client.crt'],
      [`${name}.key`, 'client.key'],
    ] as const) {
      writeFileSync(join(dir, to), readFileSync(this.path(from)));
    }
    return dir;
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  #openssl(args: string[], name: string): void {
    run([...args, '-keyout', this.path(`${name}.key`), '-out', this.path(`${name}.crt`)]);
  }
}

function run(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}

export interface Received {
  readonly topic: string;
  readonly text: string;
  readonly qos: number;
  readonly dup: boolean;
  readonly messageId: number | undefined;
  readonly commonName: string;
}

export interface TestBroker {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** TLS handshakes that failed. */
  refused: number;
  readonly clients: { id: string; clean: boolean; keepalive: number }[];
  /** What a publish waits for before its acknowledgement; none when undefined. */
  hold: (() => Promise<void>) | undefined;
  /** Resets every connection. */
  breakConnections(): void;
  close(): Promise<void>;
}

/** A bare MQTT broker behind real mutual TLS on loopback; keeps what readers publish. */
export async function startTestBroker(
  pki: TestPki,
  at: { port: number; host?: string } = { port: 0 },
): Promise<TestBroker> {
  const aedes = await Aedes.createBroker();
  const sockets = new Set<TLSSocket>();
  const server = createServer(
    {
      key: readFileSync(pki.path('server.key')),
      cert: readFileSync(pki.path('server.crt')),
      ca: readFileSync(pki.path('ca.crt')),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
      aedes.handle(socket);
    },
  );
  aedes.on('clientError', () => {});
  aedes.on('connectionError', () => {});
  const names = new Map<unknown, string>();
  const broker: TestBroker = {
    url: '',
    port: 0,
    received: [],
    clients: [],
    refused: 0,
    hold: undefined,
    breakConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
      await new Promise<void>((resolve) => aedes.close(() => resolve()));
    },
  };
  server.on('tlsClientError', () => {
    broker.refused += 1;
  });
  aedes.preConnect = (client, packet, callback) => {
    const socket = client.conn as TLSSocket; // the server above hands over nothing else
    names.set(client, String(socket.getPeerCertificate().subject.CN));
    const { clientId, clean, keepalive } = packet;
    broker.clients.push({ id: clientId, clean: clean === true, keepalive: keepalive ?? 0 });
    callback(null, true);
  };
  aedes.authorizePublish = (client, packet, callback) => {
    void (broker.hold?.() ?? Promise.resolve()).then(() => {
      broker.received.push({
        topic: packet.topic,
        text: packet.payload.toString(),
        qos: packet.qos,
        dup: packet.dup,
        messageId: 'messageId' in packet ? Number(packet.messageId) : undefined,
        commonName: names.get(client) ?? '',
      });
      callback(null);
    });
  };
  server.listen(at.port, at.host ?? '127.0.0.1');
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port; // a TCP server's address has a port
  return Object.assign(broker, { port: bound, url: `mqtts://127.0.0.1:${bound}` });
}

/** Waits until `condition` holds; fails after `limitMs` naming what was waited for. */
export async function until(what: string, condition: () => boolean, limitMs = 15_000): Promise<void> {
  const endsAt = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > endsAt) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The JSON object of a text; fails on anything else. */
export function parsed(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`no object: ${text}`);
  return Object.fromEntries(Object.entries(value));
}
