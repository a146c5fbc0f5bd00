import { cp, mkdtemp, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { afterAll } from 'vitest';
import { type Authority, openAuthority } from '../../src/pki/authority.ts';

/** Folders of one test file, removed at its end. */
export function folders(): () => Promise<string> {
  const made: string[] = [];
  afterAll(() => Promise.all(made.map((dir) => rm(dir, { recursive: true, force: true }))));
  return async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tagkeep-pki-'));
    made.push(dir);
    return dir;
  };
}

/** An authority made once; `copy` gives a folder of its own with the same `ca.key` and `ca.crt`. */
export function sharedAuthority(folder: () => Promise<string>) {
  let origin: Promise<string> | undefined;
  const make = async () => {
    const dir = await folder();
    await openAuthority({ certsDir: dir, now: Date.now() });
    return dir;
  };
  const copy = async (): Promise<string> => {
    origin ??= make();
    const dir = await folder();
    await cp(await origin, dir, { recursive: true });
    return dir;
  };
  const open = async (): Promise<Authority & { dir: string }> => {
    const dir = await copy();
    return { ...(await openAuthority({ certsDir: dir, now: Date.now() })), dir };
  };
  return { copy, open };
}

/** The permission bits of a file or folder. */
export async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

/** What became of one TLS connection: who the server saw, and both sides' errors. */
export interface Handshake {
  readonly clientName: string | null;
  readonly peerSerialNumber: string | null;
  readonly serverError: string | null;
  readonly clientError: string | null;
}

/** One handshake over a real socket on loopback, brought to an end on both sides. */
export async function handshake(
  serverOptions: TlsOptions,
  clientOptions: ConnectionOptions,
): Promise<Handshake> {
  const server = createServer(serverOptions);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server's address is never a string.
  const seen = new Promise<Partial<Handshake>>((resolve) => {
    server.once('secureConnection', (socket) => resolve(seenBy(socket)));
    server.once('tlsClientError', (error) => resolve({ serverError: String(error) }));
  });
  const client = connect({ host: '127.0.0.1', port, ...clientOptions });
  const failed = new Promise<string | null>((resolve) => {
    client.once('error', (error) => resolve(String(error)));
    client.once('close', () => resolve(null));
  });
  client.resume();
  const fromServer = await seen;
  const clientError = await failed;
  await new Promise((resolve) => server.close(resolve));
  return { clientName: null, peerSerialNumber: null, serverError: null, ...fromServer, clientError };
}

function seenBy(socket: TLSSocket): Partial<Handshake> {
  socket.on('error', () => undefined);
  const peer = socket.getPeerCertificate();
  socket.end();
  const name = peer.subject?.CN;
  return {
    clientName: name === undefined ? null : String(name),
    peerSerialNumber: peer.serialNumber ?? null,
  };
}
