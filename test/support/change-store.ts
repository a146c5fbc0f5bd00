import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceRecord } from '../../src/store/records.ts';
import { openStore, type Tx } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';

/** What an administrator's command changes, from another process while the appliance runs. */
async function changeStore(dataDir: string, action: (tx: Tx) => void): Promise<void> {
  const store = openStore(dataDir);
  try {
    await store.write(action);
  } finally {
    await store.close();
  }
}

type Flags = Partial<Pick<DeviceRecord, 'dataRevoked' | 'connectRevoked'>>;

/** Revokes a device in the service, on the broker, or takes that back. */
export function setDevice(dataDir: string, serial: string, flags: Flags): Promise<void> {
  return changeStore(dataDir, (tx) => {
    const device = tx.get(tables.devices, serial);
    if (!device) throw new Error(`${serial} is not registered`);
    tx.put(tables.devices, serial, { ...device, ...flags });
  });
}

/** Revokes the certificate in a folder of identity files; fails when it is not on record as that reader's. */
export function revokeCertificate(dataDir: string, serial: string, dir: string): Promise<void> {
  const { serialNumber } = new X509Certificate(readFileSync(join(dir, 'client.crt')));
  return changeStore(dataDir, (tx) => {
    const certificate = tx.get(tables.certificates, serialNumber);
    if (certificate?.serial !== serial) throw new Error(`${serialNumber} is not on record for ${serial}`);
    tx.put(tables.certificates, serialNumber, { ...certificate, revokedAt: Date.now() });
  });
}
