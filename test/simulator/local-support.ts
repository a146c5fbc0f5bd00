import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSelfSigned } from '../../src/pki/self-signed.ts';

/** One certificate for every stand-in of a test file: making a key takes long. */
export const selfSigned = await makeSelfSigned({
  commonName: 'stand-in',
  hosts: ['127.0.0.1'],
  now: Date.now(),
});

export const credentials = { user: 'root', password: 'imp:inj' } as const;

/** A folder of its own, and its removal. */
export function folder(): { dir: string; remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), 'tagkeep-local-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

export interface Sent {
  readonly method?: string;
  /** Sent as JSON, a Buffer or text as it is. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** `user:password`; the right ones when absent, none when null. */
  readonly auth?: string | null;
}

export interface Got {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** Parsed when there was a text. */
  readonly body: unknown;
}

/** A call over HTTPS; the certificate is self-signed, so nothing vouches for it. Rejects when the connection breaks. */
export async function call(base: string, path: string, sent: Sent = {}): Promise<Got> {
  const response = await open(base, path, sent);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const { statusCode = 0, headers } = response;
  return { status: statusCode, headers, text, body: text === '' ? undefined : JSON.parse(text) };
}

/** The response as it comes, for streams. */
export async function open(base: string, path: string, sent: Sent = {}): Promise<IncomingMessage> {
  const { method = 'GET', body, headers = {}, auth = `${credentials.user}:${credentials.password}` } = sent;
  const agent = new Agent({ rejectUnauthorized: false, keepAlive: false });
  const req = request(`${base}${path}`, { method, agent, headers, ...(auth === null ? {} : { auth }) });
  const raw = body instanceof Uint8Array || typeof body === 'string';
  req.end(body === undefined || raw ? body : JSON.stringify(body));
  const [response] = (await once(req, 'response')) as [IncomingMessage]; // what the event carries
  return response;
}

/** A preset as the service and its agent make it. */
export function preset(change: Record<string, unknown> = {}, ports: readonly number[] = [1, 2]) {
  const antennaConfigs = ports.map((antennaPort) => ({
    antennaPort,
    transmitPowerCdbm: 3000,
    rfMode: 1002,
    inventorySession: 2,
    inventorySearchMode: 'dual-target',
    estimatedTagPopulation: 128,
    ...change,
  }));
  return {
    eventConfig: {
      common: { hostname: 'enabled' },
      tagInventory: {
        epc: 'disabled',
        epcHex: 'enabled',
        lastSeenTime: 'enabled',
        antennaPort: 'enabled',
        tagReporting: {
          reportingIntervalSeconds: 1,
          tagCacheSize: 4096,
          antennaIdentifier: 'antennaPort',
          tagIdentifier: 'epc',
        },
      },
    },
    antennaConfigs,
  };
}
