import { defaultAntenna } from '../domain/antenna.ts';
import { limits } from '../domain/limits.ts';
import type { DeviceRecord, ReaderRecord } from './records.ts';
import type { Tx } from './store.ts';
import { tables } from './tables.ts';

export interface Enrolment {
  readonly orgId: string;
  readonly name: string;
  readonly now: number;
  readonly newId: () => string;
}

/** Makes a device a reader of an organisation, with four antennas at their defaults; its claim code is used up. */
export function enrolDevice(tx: Tx, device: DeviceRecord, enrolment: Enrolment): ReaderRecord {
  const { orgId, name, now, newId } = enrolment;
  const { serial } = device;
  const reader = { id: newId(), no: tx.next('lastReaderNo'), serial, name, enabled: true, createdAt: now };
  const antennas = Array.from({ length: limits.antennaPorts }, (_, i) => ({
    id: newId(),
    port: i + 1,
    ...defaultAntenna,
  }));
  tx.put(tables.readers, [orgId, reader.id], reader);
  tx.put(tables.antennas, [orgId, reader.id], antennas);
  tx.put(tables.devices, serial, {
    ...device,
    state: 'claimed',
    claimCode: null,
    orgId,
    readerId: reader.id,
    claimedAt: now,
  });
  return reader;
}
