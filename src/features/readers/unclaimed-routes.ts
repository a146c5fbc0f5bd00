import { z } from 'zod';
import {
  type UnclaimedDevice,
  unclaimedDeviceExample,
  unclaimedDeviceSchema,
} from '../../contract/device.ts';
import { isDeviceOf } from '../../domain/device.ts';
import { limits } from '../../domain/limits.ts';
import { signsSince } from '../../domain/reader-signs.ts';
import { brokerStatus } from '../../domain/reader-status.ts';
import { type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import { inSlices } from '../../store/in-slices.ts';
import { isOnlyOrganisation } from '../../store/organisations.ts';
import type { DeviceRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { type DeviceActivitySource, hardwareOf } from './device-signs.ts';

export interface UnclaimedRoutesOptions {
  readonly store: Store;
  readonly activity: DeviceActivitySource;
  /** Epoch ms. */
  readonly now: () => number;
}

/** GET /devices/unclaimed (extension). */
export function unclaimedRoutes(options: UnclaimedRoutesOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/devices/unclaimed',
      operationId: 'listUnclaimedDevices',
      summary: 'Devices that are provisioned and not claimed, the latest first (extension)',
      description: `Up to ${limits.unclaimedPerAnswer} of those the organisation provisioned. Released ones need a new claim code: provisioning them again makes one.`,
      tag: 'Readers and antennas',
      access: 'admin',
      responses: {
        200: {
          description: 'Unclaimed devices',
          schema: z.array(unclaimedDeviceSchema),
          example: [unclaimedDeviceExample],
        },
      },
      handle: async ({ caller }) => ({ status: 200, body: await unclaimedOf(options, caller.orgId) }),
    }),
  ];
}

async function unclaimedOf(
  { store, activity, now }: UnclaimedRoutesOptions,
  orgId: string,
): Promise<readonly UnclaimedDevice[]> {
  const isOnly = isOnlyOrganisation(store);
  const found: DeviceRecord[] = [];
  for await (const { value } of inSlices(store, tables.devices))
    if (isUnclaimed(value) && isDeviceOf(value, orgId, isOnly)) found.push(value);
  const at = now();
  return found
    .sort((a, b) => b.provisionedAt - a.provisionedAt || (a.serial < b.serial ? -1 : 1))
    .slice(0, limits.unclaimedPerAnswer)
    .map((device) => shown(device, activity, at));
}

function isUnclaimed({ state }: DeviceRecord): boolean {
  return state === 'registered' || state === 'released';
}

function shown(device: DeviceRecord, activity: DeviceActivitySource, now: number): UnclaimedDevice {
  const { serial, provisionedAt } = device;
  const signs = signsSince(activity.of(serial), provisionedAt, now);
  const { connections, brokerStatusAt, lastSeenAt } = signs;
  return {
    serial,
    ...hardwareOf(device, signs),
    provisionedAt: formatInstant(provisionedAt),
    brokerStatus: brokerStatus(connections, brokerStatusAt),
    lastSeenAt: lastSeenAt === null ? null : formatInstant(lastSeenAt),
  };
}
