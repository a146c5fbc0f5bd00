import { type CommandLane, commandStateOf } from '../domain/command.ts';
import { outOfService } from '../domain/device.ts';
import { signsSince } from '../domain/reader-signs.ts';
import { isRadioWanted, type OfflineReason, readerStatus } from '../domain/reader-status.ts';
import { byName } from '../lib/by-name.ts';
import { formatInstant } from '../lib/instant.ts';
import { latestCommand } from '../store/commands.ts';
import { ofOrg } from '../store/of-org.ts';
import type { DeviceActivity, ReaderRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import type { SavedDevice } from './diagnostics-file.ts';
import { counted, type Finding } from './doctor-finding.ts';
import type { Sight } from './doctor-sight.ts';

/** Readers looked at; a box has some dozens. */
const READERS_MAX = 10_000;
/** Its file is written once a minute at least. */
const TOLD_WITHIN_MS = 180_000;

const nothingYet: DeviceActivity = {
  ...{ firstSeenAt: null, lastSeenAt: null, lastEventAt: null },
  ...{ brokerStatusAt: null, health: null, healthAt: null },
};

interface ReaderSight {
  readonly sight: Sight;
  readonly store: Store;
  readonly orgId: string;
  readonly reader: ReaderRecord;
  /** `Dock door 1 (370-10-15-0036)`. */
  readonly subject: string;
  /** What only the running appliance knows; undefined: it does not run, or has not told yet. */
  readonly live: SavedDevice | undefined;
  /** What its reader left for this very reader; see `signsSince`. */
  readonly signs: DeviceActivity;
}

/** Every reader: service state, connection, agent, last commands, clock, what was rejected, and rates. */
export function checkReaders(sight: Sight): readonly Finding[] {
  const { store } = sight;
  if (!store) return [];
  const live = liveDevices(sight);
  const found: Finding[] = [];
  let looked = 0;
  for (const { key: orgId } of store.range(tables.orgs))
    for (const reader of ofOrg(store, tables.readers, orgId).toSorted(byName)) {
      if (++looked > READERS_MAX) break;
      found.push(...checkReader(readerSight({ sight, store, orgId, reader, live })));
    }
  if (looked === 0)
    return [{ check: 'reader.status', level: 'note', message: 'no reader has been claimed yet' }];
  return live === null && sight.running.pid !== null ? [...found, notTold] : found;
}

const notTold: Finding = {
  check: 'reader.status',
  level: 'note',
  message: 'which readers are connected is not known: the appliance has not told within three minutes',
};

/** What a reader's payloads were refused for, newest last; with their beginnings where payloads may be shown. */
export function checkPayloads({ diagnostics }: Sight, showPayloads: boolean): readonly Finding[] {
  return (diagnostics?.devices ?? []).flatMap(({ serial: subject, badPayloads }) =>
    badPayloads.map(({ at, reason, excerpt }): Finding => {
      const message = showPayloads ? `${formatInstant(at)} ${reason}: ${excerpt}` : formatInstant(at);
      return { check: 'payload', level: 'note', subject, message };
    }),
  );
}

/** Null when nothing is known: of another process nothing counts, it is gone, and its connections with it. */
function liveDevices({ diagnostics, running, now }: Sight): ReadonlyMap<string, SavedDevice> | null {
  if (diagnostics === null || diagnostics.pid !== running.pid) return null;
  if (Math.abs(now - diagnostics.at) > TOLD_WITHIN_MS) return null;
  return new Map(diagnostics.devices.map((device) => [device.serial, device]));
}

function readerSight(
  given: Pick<ReaderSight, 'sight' | 'store' | 'orgId' | 'reader'> & {
    readonly live: ReadonlyMap<string, SavedDevice> | null;
  },
): ReaderSight {
  const { sight, store, reader } = given;
  const live = given.live?.get(reader.serial);
  const activity = store.get(tables.deviceActivity, reader.serial) ?? nothingYet;
  const connections = live?.connections ?? 0;
  const signs = signsSince({ ...activity, connections }, reader.createdAt, sight.now);
  return { ...given, live, signs, subject: `${reader.name} (${reader.serial})` };
}

function checkReader(one: ReaderSight): readonly Finding[] {
  const refused = checkService(one);
  // What it is sent and sends counts for nothing until it is back.
  if (refused) return [refused];
  return [
    ...checkStatus(one),
    ...checkAgent(one),
    ...checkCommand(one, 'radio'),
    ...checkCommand(one, 'settings'),
    ...checkReads(one),
  ];
}

function checkService({ store, reader, subject }: ReaderSight): Finding | null {
  const device = store.get(tables.devices, reader.serial);
  const why = device ? outOfService(device) : null;
  if (why === null) return null;
  const advice = `tagkeep reader provision ${reader.serial} takes it back`;
  return { check: 'reader.service', level: 'note', subject, message: `out of service: ${why}`, advice };
}

const offlineWords: Readonly<
  Record<OfflineReason, { level: Finding['level']; message: string; advice?: string }>
> = {
  'never-connected': {
    ...{ level: 'note', message: 'has never connected' },
    advice: 'look at its network, its time, and the host name and port in its MQTT settings',
  },
  'broker-disconnected': {
    level: 'warning',
    message: 'is not connected',
    advice: 'look at its power and network',
  },
  'no-data': {
    level: 'warning',
    message: 'is connected but silent',
    advice: 'look at its radio and antennas',
  },
  'radio-idle': { level: 'warning', message: 'is connected, its radio idle', advice: 'start it again' },
  stopped: { level: 'ok', message: 'is stopped' },
};

function checkStatus({ sight, store, orgId, reader, subject, live, signs }: ReaderSight): readonly Finding[] {
  const check = 'reader.status';
  // One that has just connected is not on disk yet.
  const lastSeenAt = signs.lastSeenAt ?? (live && live.connections > 0 ? sight.now : null);
  if (lastSeenAt === null) return [{ check, subject, ...offlineWords['never-connected'] }];
  const seen = `last heard of at ${formatInstant(lastSeenAt)}`;
  if (!live) return [{ check, level: 'ok', subject, message: seen }];
  const antennas = store.get(tables.antennas, [orgId, reader.id]);
  const { status, offlineReason } = readerStatus(
    {
      ...signs,
      ...{
        lastSeenAt,
        enabled: isRadioWanted(reader.enabled, antennas),
        connections: live.connections,
        radio: live.radio,
      },
      // An agent that is missing is told by itself.
      ...{ commandsSupported: true, lastCommandFailed: false },
    },
    { noDataMs: sight.config.readers.noDataSeconds * 1000, now: sight.now },
  );
  if (offlineReason === null) return [{ check, level: 'ok', subject, message: `${status}, ${seen}` }];
  const words = offlineWords[offlineReason];
  return [{ check, subject, ...words, message: `${words.message}, ${seen}` }];
}

function checkAgent({ reader, subject, signs }: ReaderSight): readonly Finding[] {
  const isKnown = reader.commandsConfirmedAt !== undefined || signs.health?.commands === true;
  if (isKnown || signs.lastSeenAt === null) return [];
  const message = 'no agent takes commands: starts, stops and antenna settings do not reach it';
  return [
    { check: 'reader.agent', level: 'note', subject, message, advice: 'install the agent on the reader' },
  ];
}

function checkCommand({ store, orgId, reader, subject }: ReaderSight, lane: CommandLane): readonly Finding[] {
  const command = latestCommand(store, { orgId, readerId: reader.id }, lane);
  if (!command || commandStateOf(command.standing) !== 'failed') return [];
  const why = command.error ?? 'nobody answered in time';
  const what = command.kind === 'push-config' ? 'antenna settings' : `the ${command.kind}`;
  const message = `${what} of ${formatInstant(command.createdAt)} failed: ${why}`;
  const advice = lane === 'settings' ? 'change the settings to what the reader can do' : 'send it again';
  return [{ check: 'reader.command', level: 'warning', subject, message, advice }];
}

function checkReads({ subject, live }: ReaderSight): readonly Finding[] {
  if (!live) return [];
  const { reads, repeats, readsPerSecond, rejected, clockSkewed, clockAheadMs } = live;
  const found: Finding[] = [];
  if (clockSkewed > 0) {
    const ahead = clockAheadMs === null ? '' : `; at the last read by ${(clockAheadMs / 1000).toFixed(1)} s`;
    const message = `${counted(clockSkewed, 'read')} had times ahead of the clock of this machine${ahead}`;
    const advice = 'set NTP on the reader, then look at the clock here';
    found.push({ check: 'reader.clock', level: 'warning', subject, message, advice });
  }
  if (rejected > 0) {
    const message = `${counted(rejected, 'item')} could not be read`;
    const advice = 'see the payloads below, and the event format in its MQTT settings';
    found.push({ check: 'reader.rejected', level: 'warning', subject, message, advice });
  }
  const rate = `${readsPerSecond.toFixed(1)} reads a second; ${counted(reads, 'read')}, of them ${counted(repeats, 'repeat')}`;
  return [...found, { check: 'reader.rate', level: 'ok', subject, message: rate }];
}
