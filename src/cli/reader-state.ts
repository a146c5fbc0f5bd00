import { randomBytes } from 'node:crypto';
import { appendAudit } from '../store/audit.ts';
import { removeReader } from '../store/cascade.ts';
import { renewClaimCode, withdrawDevice } from '../store/device-states.ts';
import type { DeviceRecord, OrgRecord } from '../store/records.ts';
import type { Reading, Tx } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { CliError, type CommonOptions, withStore } from './context.ts';
import { shownDevice } from './device-view.ts';
import { print } from './output.ts';

/** `tagkeep reader withdraw SERIAL`: out of service. Doing it again changes nothing. */
export async function withdrawReader(serial: string, options: CommonOptions): Promise<void> {
  await withStore(options, async ({ store, org }) => {
    const device = await store.write((tx) => {
      const before = deviceOf(tx, serial, org);
      if (before.state === 'withdrawn') return before;
      const after = withdrawDevice(tx, before);
      note(tx, org, { action: 'withdraw', resource: `devices/${serial}`, before, after });
      return after;
    });
    print(shownDevice(device), options, [
      `withdrew ${serial}: its data is dropped, and it cannot be claimed`,
    ]);
  });
}

/** `tagkeep reader release SERIAL`: out of the organisation, as `DELETE /readers/{id}` does it. */
export async function releaseReader(serial: string, options: CommonOptions): Promise<void> {
  await withStore(options, async ({ store, org }) => {
    const { device, name } = await store.write((tx) => {
      const { readerId } = deviceOf(tx, serial, org);
      const reader = readerId === null ? null : removeReader(tx, org.id, readerId);
      if (!reader) throw new CliError(`${serial} is no reader of ${org.name}; see "tagkeep reader list"`);
      const before = { name: reader.name, serial };
      appendAudit(tx, {
        ...{ orgId: org.id, at: Date.now(), action: 'release', resource: `readers/${reader.id}`, before },
      });
      return { device: deviceOf(tx, serial, org), name: reader.name };
    });
    print(shownDevice(device), options, [
      `released ${serial} (${name}) from ${org.name}`,
      device.state === 'withdrawn'
        ? `  it stays withdrawn; "tagkeep reader provision ${serial}" takes it back into service`
        : `  "tagkeep reader code ${serial}" makes a code to claim it again`,
    ]);
  });
}

/** `tagkeep reader code SERIAL`: a new claim code for a device that nobody has claimed; the old one is void. */
export async function newReaderCode(serial: string, options: CommonOptions): Promise<void> {
  await withStore(options, async ({ store, org }) => {
    const { shown: claimCode } = await store.write((tx) => {
      const before = deviceOf(tx, serial, org);
      if (before.state === 'withdrawn')
        throw new CliError(`${serial} is withdrawn; "tagkeep reader provision" takes it back into service`);
      if (before.state === 'claimed')
        throw new CliError(`${serial} is claimed; "tagkeep reader release ${serial}" comes first`);
      const code = renewClaimCode(tx, before, randomBytes);
      // The audit log never has codes.
      const after = { ...before, state: 'registered' as const };
      note(tx, org, { action: 'renew-code', resource: `devices/${serial}`, before, after });
      return code;
    });
    print({ serial, claimCode }, options, [`claim code: ${claimCode}`]);
  });
}

/** A device by its serial; a `CliError` when there is none. One of another organisation is none of this one's business; one nobody has is anybody's. */
export function deviceOf(reading: Reading, serial: string, org: OrgRecord): DeviceRecord {
  const device = reading.get(tables.devices, serial);
  if (!device) throw new CliError(`there is no device ${serial}; see "tagkeep reader list"`);
  if (device.orgId === null || device.orgId === org.id) return device;
  const owner = reading.get(tables.orgs, device.orgId)?.name ?? '';
  throw new CliError(`${serial} belongs to ${owner}; give --org "${owner}"`);
}

interface StateChange {
  readonly action: string;
  readonly resource: string;
  readonly before: DeviceRecord;
  readonly after: DeviceRecord;
}

function note(tx: Tx, org: OrgRecord, { before, after, ...what }: StateChange): void {
  const states = { before: { state: before.state }, after: { state: after.state } };
  appendAudit(tx, { ...what, ...states, orgId: org.id, at: Date.now() });
}
