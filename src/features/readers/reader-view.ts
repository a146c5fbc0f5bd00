import type { Reader } from '../../contract/reader.ts';
import { brokerStatus, readerStatus } from '../../domain/reader-status.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { DeviceRecord, ReaderRecord } from '../../store/records.ts';
import { type DeviceSigns, hardwareOf } from './device-signs.ts';

export interface ReaderViewInput {
  readonly reader: ReaderRecord;
  readonly device: DeviceRecord | undefined;
  readonly signs: DeviceSigns;
  /** Epoch ms. */
  readonly now: number;
  readonly noDataMs: number;
}

const figures = ['temperatureC', 'cpuPercent', 'memoryPercent', 'powerMilliwatts'] as const;

/** A reader as the interface shows it at this moment; what is not known is left out. */
export function readerView({ reader, device, signs: all, now, noDataMs }: ReaderViewInput): Reader {
  const signs = signsSince(all, reader.createdAt);
  const { connections, radio, lastSeenAt, lastEventAt, brokerStatusAt } = signs;
  const commandsSupported = signs.health?.commands === true;
  const { status, offlineReason } = readerStatus(
    {
      enabled: reader.enabled,
      lastSeenAt,
      lastEventAt,
      connections,
      radio,
      commandsSupported,
      lastCommandFailed: false,
    },
    { noDataMs, now },
  );
  return {
    id: reader.id,
    name: reader.name,
    serial: reader.serial,
    ...hardwareOf(device, signs),
    status,
    enabled: reader.enabled,
    ...(offlineReason !== null && { offlineReason }),
    ...healthOf(signs),
    brokerStatus: brokerStatus(connections, brokerStatusAt),
    ...timestamps({ brokerStatusAt, lastEventAt, lastSeenAt }),
    commandsSupported,
  };
}

/** What arrived before this reader was made came to another owner of the device; only the open connection is today's. */
function signsSince(signs: DeviceSigns, createdAt: number): DeviceSigns {
  const since = (at: number | null): number | null => (at !== null && at >= createdAt ? at : null);
  const healthAt = since(signs.healthAt);
  const connected = signs.connections > 0;
  return {
    ...signs,
    firstSeenAt: since(signs.firstSeenAt),
    lastSeenAt: connected ? signs.lastSeenAt : since(signs.lastSeenAt),
    lastEventAt: since(signs.lastEventAt),
    brokerStatusAt: connected ? signs.brokerStatusAt : since(signs.brokerStatusAt),
    health: healthAt === null ? null : signs.health,
    healthAt,
  };
}

type Figures = Partial<Record<(typeof figures)[number], number>>;

function healthOf({ health, healthAt }: DeviceSigns): Figures & { healthAt?: string } {
  const known: Figures = {};
  for (const name of figures) {
    const value = health?.[name];
    if (typeof value === 'number') known[name] = value;
  }
  if (Object.keys(known).length === 0 || healthAt === null) return known;
  return { ...known, healthAt: formatInstant(healthAt) };
}

function timestamps<Name extends string>(times: Record<Name, number | null>): Partial<Record<Name, string>> {
  const known: Partial<Record<Name, string>> = {};
  // The names are the record's own.
  for (const [name, at] of Object.entries(times) as [Name, number | null][])
    if (at !== null) known[name] = formatInstant(at);
  return known;
}
