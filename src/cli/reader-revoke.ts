import { readServing } from '../app/data-folder.ts';
import { appendAudit } from '../store/audit.ts';
import { type Revoked, revokeDevice } from '../store/device-states.ts';
import type { DeviceRecord } from '../store/records.ts';
import { type CommonOptions, withStore } from './context.ts';
import { shownDevice } from './device-view.ts';
import { print } from './output.ts';
import { deviceOf } from './reader-state.ts';

export interface RevokeOptions extends CommonOptions {
  readonly broker?: boolean;
  readonly disconnect?: boolean;
}

/**
 * `tagkeep reader revoke SERIAL [--broker] [--disconnect]`: refuses a reader's data; on the broker too; and cuts its open
 * connections. Each includes the one before: a connection that is cut and let in again would be no use.
 */
export async function revokeReader(serial: string, options: RevokeOptions): Promise<void> {
  const disconnect = options.disconnect === true;
  const broker = disconnect || options.broker === true;
  await withStore(options, async ({ config, store, org }) => {
    const revoked = await store.write((tx) => {
      const now = Date.now();
      const before = deviceOf(tx, serial, org);
      const done = revokeDevice(tx, before, { broker, disconnect, now });
      const noted = { orgId: org.id, at: now, resource: `devices/${serial}` };
      if (done.isNew) appendAudit(tx, { ...noted, action: 'revoke', ...changeOf(before, done) });
      if (disconnect) appendAudit(tx, { ...noted, action: 'disconnect' });
      return done;
    });
    const { device, isNew, certificates } = revoked;
    const isServed = readServing(config.dataDir) !== null;
    const record = { ...shownDevice(device), changed: isNew, certificatesRevoked: certificates };
    print({ ...record, disconnectAsked: disconnect }, options, [
      `${isNew ? `revoked ${serial}:` : `already revoked: ${serial};`} ${meaning(device)}`,
      ...certificates.map((serialNumber) => `  certificate ${serialNumber} is revoked`),
      ...(disconnect ? [cutting(isServed)] : []),
      `  "tagkeep reader provision ${serial}" takes it back into service`,
    ]);
  });
}

function changeOf(before: DeviceRecord, { device, certificates }: Revoked) {
  const flags = ({ dataRevoked, connectRevoked }: DeviceRecord) => ({ dataRevoked, connectRevoked });
  const revoked = certificates.length > 0 ? { certificates } : {};
  return { before: flags(before), after: { ...flags(device), ...revoked } };
}

function meaning({ connectRevoked }: DeviceRecord): string {
  if (!connectRevoked) return 'its data is refused, its connection stays';
  return 'its data is refused, and so is its next connection';
}

function cutting(isServed: boolean): string {
  return isServed
    ? '  its open connections are being cut'
    : '  the appliance is not running, so it has no open connections';
}
