import { join } from 'node:path';
import { credentialsIn } from '../pki/credentials.ts';
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
  const credentials = await credentialsIn(identityDir);
  if (credentials === null)
    throw new Error(
      `${join(identityDir, 'svc.json')}: is not {"user": …, "password": …}; provision the reader again`,
    );
  return { ...reader, local: { ...credentials, dir, tls, port, nativeMqtt } };
}
