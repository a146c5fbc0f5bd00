import { defaultAntenna } from '../domain/antenna.ts';
import { allowsOneMore } from '../domain/licence.ts';
import { limits } from '../domain/limits.ts';
import { refuse } from '../domain/refusal.ts';
import { readerCount } from './licences.ts';
import type { AntennaRecord, DeviceRecord } from './records.ts';
import type { Tx } from './store.ts';
import { tables } from './tables.ts';

export interface Enrolment {
  readonly orgId: string;
  readonly name: string;
  readonly now: number;
  readonly newId: () => string;
  /** How many readers the organisation's licence allows; 0 or absent = no limit. */
  readonly maxReaders?: number;
}

/** A device that belongs to a reader. */
export type ClaimedDevice = DeviceRecord & {
  readonly orgId: string;
  readonly readerId: string;
  readonly claimedAt: number;
};

/**
 * Makes a device a reader of an organisation, with four antennas at their defaults; its claim code is used up. Throws
 * `licence-limit` when the organisation has as many readers as its licence allows.
 */
export function enrolDevice(
  tx: Tx,
  device: DeviceRecord,
  { orgId, name, now, newId, maxReaders = 0 }: Enrolment,
): ClaimedDevice {
  refuseTooMany(tx, orgId, maxReaders);
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

function refuseTooMany(tx: Tx, orgId: string, maxReaders: number): void {
  // Nothing is counted where nothing is limited.
  const count = maxReaders === 0 ? 0 : readerCount(tx, orgId);
  if (!allowsOneMore(count, maxReaders))
    throw refuse('licence-limit', `The licence allows ${maxReaders} readers, and there are ${count}.`);
}

function antennas(newId: () => string): readonly AntennaRecord[] {
  return Array.from({ length: limits.antennaPorts }, (_, i) => ({
    id: newId(),
    port: i + 1,
    ...defaultAntenna,
  }));
}
