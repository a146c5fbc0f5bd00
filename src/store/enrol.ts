import { defaultAntenna } from '../domain/antenna.ts';
import { limits } from '../domain/limits.ts';
import type { AntennaRecord, DeviceRecord } from './records.ts';
import type { Tx } from './store.ts';
import { tables } from './tables.ts';

export interface Enrolment {
  readonly orgId: string;
  readonly name: string;
  readonly now: number;
  readonly newId: () => string;
}

/** A device that belongs to a reader. */
export type ClaimedDevice = DeviceRecord & {
  readonly orgId: string;
  readonly readerId: string;
  readonly claimedAt: number;
};

/** Makes a device a reader of an organisation, with four antennas at their defaults; its claim code is used up. */
export function enrolDevice(
  tx: Tx,
  device: DeviceRecord,
  { orgId, name, now, newId }: Enrolment,
): ClaimedDevice {
  const { serial } = device;
  const readerId = newId();
  const no = tx.next('lastReaderNo');
  tx.put(tables.readers, [orgId, readerId], {
    id: readerId,
    no,
    serial,
    name,
    enabled: true,
    createdAt: now,
  });
  tx.put(tables.antennas, [orgId, readerId], antennas(newId));
  const claimed = { ...device, state: 'claimed' as const, claimCode: null, orgId, readerId, claimedAt: now };
  tx.put(tables.devices, serial, claimed);
  return claimed;
}

function antennas(newId: () => string): readonly AntennaRecord[] {
  return Array.from({ length: limits.antennaPorts }, (_, i) => ({
    id: newId(),
    port: i + 1,
    ...defaultAntenna,
  }));
}
