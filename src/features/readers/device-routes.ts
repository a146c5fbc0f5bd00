import { z } from 'zod';
import {
  type ClaimedDevice,
  claimedDeviceExample,
  claimedDeviceSchema,
  claimSchema,
} from '../../contract/device.ts';
import { type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import { auditedWrite } from '../../store/audit.ts';
import type { Directory } from '../../store/directory.ts';
import { ofOrg } from '../../store/of-org.ts';
import type { DeviceRecord } from '../../store/records.ts';
import type { Store, Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { claimDevice } from './claim.ts';
import { type DeviceActivitySource, hardwareOf } from './device-signs.ts';

export interface DeviceRoutesOptions {
  readonly store: Store;
  readonly directory: Directory;
  readonly activity: DeviceActivitySource;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
  /** How many readers the licence of an organisation allows, 0 = no limit; asked in the claim's own transaction. */
  readonly maxReaders?: (tx: Tx, orgId: string) => number;
  /** Told after a claim: the device's agent may be there already. */
  readonly onClaimed?: (serial: string) => void;
}

const tag = 'Readers and antennas';

/** POST /devices/claim, GET /devices. */
export function deviceRoutes(options: DeviceRoutesOptions): readonly Route[] {
  return [claimRoute(options), listRoute(options)];
}

function claimRoute(options: DeviceRoutesOptions): Route {
  const { store, activity, now, newId, maxReaders = () => 0, onClaimed } = options;
  return route({
    method: 'POST',
    path: '/devices/claim',
    operationId: 'claimDevice',
    summary: 'Claim a reader by the code on its box',
    description: 'The reader then appears in /readers, and its data is taken from now on. A code works once.',
    tag,
    access: 'caller',
    body: claimSchema,
    bodyExample: { code: 'TK-3F8K-9WQ2-7HNM', readerName: 'Dock door 1' },
    responses: {
      201: { description: 'The claimed device', schema: claimedDeviceSchema, example: claimedDeviceExample },
    },
    refusals: ['claim-code-invalid', 'device-withdrawn', 'licence-limit'],
    handle: async ({ caller, body }) => {
      const { orgId } = caller;
      const at = now();
      const device = await auditedWrite(store, { author: caller, now: at }, (tx, note) => {
        const claimed = claimDevice(tx, { ...body, orgId, at, newId, maxReaders: maxReaders(tx, orgId) });
        const after = { serial: claimed.serial, name: body.readerName };
        note({ action: 'claim', resource: `readers/${claimed.readerId}`, after });
        return claimed;
      });
      onClaimed?.(device.serial);
      return { status: 201, body: claimedDeviceOf(device, activity) };
    },
  });
}

function listRoute({ store, directory, activity }: DeviceRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/devices',
    operationId: 'listDevices',
    summary: 'All claimed devices, in the order they were claimed',
    tag,
    access: 'caller',
    responses: {
      200: {
        description: 'Claimed devices',
        schema: z.array(claimedDeviceSchema),
        example: [claimedDeviceExample],
      },
    },
    handle: ({ caller }) => {
      const readers = ofOrg(store, tables.readers, caller.orgId).toSorted((a, b) => a.no - b.no);
      const body = readers.flatMap(({ id, serial }) => {
        const device = directory.device(serial);
        return isClaimedAs(device, id) ? [claimedDeviceOf(device, activity)] : [];
      });
      return { status: 200, body };
    },
  });
}

/** A device record while it is claimed. */
type Claimed = DeviceRecord & { readonly readerId: string; readonly claimedAt: number };

function isClaimedAs(device: DeviceRecord | undefined, readerId: string): device is Claimed {
  return device?.state === 'claimed' && device.readerId === readerId && device.claimedAt !== null;
}

function claimedDeviceOf(device: Claimed, activity: DeviceActivitySource): ClaimedDevice {
  const signs = activity.of(device.serial);
  return {
    serial: device.serial,
    ...hardwareOf(device, signs),
    readerId: device.readerId,
    claimedAt: formatInstant(device.claimedAt),
    firstSeenAt: signs.firstSeenAt === null ? null : formatInstant(signs.firstSeenAt),
  };
}
