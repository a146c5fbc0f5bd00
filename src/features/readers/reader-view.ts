import type { Reader } from '../../contract/reader.ts';
import { commandStateOf } from '../../domain/command.ts';
import { type OutOfService, outOfService } from '../../domain/device.ts';
import { signsSince } from '../../domain/reader-signs.ts';
import {
  brokerStatus,
  displayStatus,
  isRadioWanted,
  type ReaderSigns,
  readerStatus,
} from '../../domain/reader-status.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { Directory } from '../../store/directory.ts';
import type { ReaderFacts, ReaderFactsCache } from '../../store/reader-facts.ts';
import type { DeviceRecord, ReaderRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { commandView, settingsView } from './command-view.ts';
import { type DeviceActivitySource, type DeviceSigns, hardwareOf } from './device-signs.ts';

/** Where a reader's view comes from. */
export interface ReaderSources {
  readonly store: Store;
  readonly directory: Directory;
  readonly facts: ReaderFactsCache;
  readonly activity: DeviceActivitySource;
  /** Epoch ms. */
  readonly now: () => number;
  /** A connected reader that is silent this long is offline, ms; 0 = never. */
  readonly noDataMs: number;
}

/** A reader as it is at this moment. */
export function shownReader(
  { facts, directory, activity, now, noDataMs }: ReaderSources,
  orgId: string,
  reader: ReaderRecord,
): Reader {
  return readerView({
    reader,
    device: directory.device(reader.serial),
    signs: activity.of(reader.serial),
    ...facts.of({ orgId, readerId: reader.id }),
    now: now(),
    noDataMs,
  });
}

interface ReaderViewInput extends ReaderFacts {
  readonly reader: ReaderRecord;
  readonly device: DeviceRecord | undefined;
  readonly signs: DeviceSigns;
  /** Epoch ms. */
  readonly now: number;
  readonly noDataMs: number;
}

const figures = ['temperatureC', 'cpuPercent', 'memoryPercent', 'powerMilliwatts'] as const;

/** What is not known is left out. `enabled` is as people set it; the status also looks at the ports. */
function readerView(input: ReaderViewInput): Reader {
  const { reader, device, lastCommand, lastSettings } = input;
  const signs = signsSince(input.signs, reader.createdAt, input.now);
  const { connections, lastSeenAt, lastEventAt, brokerStatusAt } = signs;
  const refused = refusedBecause(device);
  const statusSigns = statusSignsOf(input, signs);
  const { status, offlineReason } = readerStatus(statusSigns, input);
  return {
    id: reader.id,
    name: reader.name,
    serial: reader.serial,
    ...hardwareOf(device, signs),
    status,
    displayStatus: displayStatus(statusSigns, input),
    enabled: reader.enabled,
    ...(offlineReason !== null && { offlineReason }),
    ...healthOf(signs),
    brokerStatus: brokerStatus(connections, brokerStatusAt),
    ...timestamps({ brokerStatusAt, lastEventAt, lastSeenAt }),
    commandsSupported: statusSigns.commandsSupported,
    ...(refused !== null && { outOfService: refused }),
    ...(lastCommand && { lastCommand: commandView(lastCommand) }),
    ...(lastSettings && { lastSettings: settingsView(lastSettings) }),
  };
}

function refusedBecause(device: DeviceRecord | undefined): OutOfService | null {
  return device ? outOfService(device) : null;
}

function statusSignsOf(
  { reader, device, antennas, lastCommand }: ReaderViewInput,
  signs: DeviceSigns,
): ReaderSigns {
  const { connections, radio, lastEventAt, health } = signs;
  // What it sends is not taken, so it counts as silent however much that is.
  const lastSeenAt = refusedBecause(device) ? Number.NEGATIVE_INFINITY : signs.lastSeenAt;
  return {
    enabled: isRadioWanted(reader.enabled, antennas),
    lastSeenAt: signs.lastSeenAt === null ? null : lastSeenAt,
    lastEventAt,
    connections,
    radio,
    commandsSupported: reader.commandsConfirmedAt !== undefined || health?.commands === true,
    lastCommandFailed: lastCommand !== null && commandStateOf(lastCommand.standing) === 'failed',
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
