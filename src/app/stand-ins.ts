import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSelfSigned } from '../pki/self-signed.ts';
import type { SimulatedReader } from '../simulator/simulation.ts';

export interface StandInPlace {
  /** The reader's identity folder: svc.json in it says who may use its local REST interface. */
  readonly identityDir: string;
  /** The reader's flash. */
  readonly dir: string;
  /** Any free one when absent. */
  readonly port?: number;
  /** False: no MQTT client of its own, its events are on the data stream alone. */
  readonly nativeMqtt?: boolean;
}

/** The same reader with a stand-in for its local REST interface on loopback. Throws one line that names svc.json. */
export async function withLocal(reader: SimulatedReader, place: StandInPlace): Promise<SimulatedReader> {
  const { identityDir, dir, port = 0, nativeMqtt = true } = place;
  const hosts = ['127.0.0.1', 'localhost'];
  const tls = await makeSelfSigned({ commonName: reader.serial, hosts, now: Date.now() });
  return { ...reader, local: { ...credentialsIn(identityDir), dir, tls, port, nativeMqtt } };
}

function credentialsIn(identityDir: string): { readonly user: string; readonly password: string } {
  const file = join(identityDir, 'svc.json');
  const { user, password } = parsed(file);
  if (typeof user === 'string' && typeof password === 'string') return { user, password };
  throw new Error(`${file}: is not {"user": …, "password": …}; provision the reader again`);
}

function parsed(file: string): Readonly<Record<string, unknown>> {
  try {
    // Null and numbers have no members either.
    return Object(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}
