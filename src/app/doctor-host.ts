import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatInstant } from '../lib/instant.ts';
import { certFiles } from '../pki/ca-files.ts';
import { LOW_FLOORS } from '../store/disk-guard.ts';
import { tables } from '../store/tables.ts';
import { type DiskRoom, diskRoom } from './disk-room.ts';
import { counted, type Finding } from './doctor-finding.ts';
import { reasonOf, type Sight } from './doctor-sight.ts';

const MEGABYTE = 1024 * 1024;
const OTHERS = 0o077;
/** A clock without a battery starts in 1970 or 2000. */
const CLOCK_FLOOR = Date.UTC(2025, 0, 1);
const CLOCK_TOLERANCE_MS = 60_000;
/** Fewer readers prove nothing about the clock they are compared with. */
const READERS_TO_COMPARE = 3;
const NTP = 'set the time by NTP (chrony or systemd-timesyncd)';

/** The clock of this machine: its year, the newest time on record, and what the readers' clocks say together. */
export function checkClock(sight: Sight): readonly Finding[] {
  const { now } = sight;
  const says = `the clock says ${Number.isFinite(now) ? formatInstant(Math.max(0, now)) : 'nothing'}`;
  if (now < CLOCK_FLOOR)
    return [{ check: 'clock', level: 'fault', message: `${says}, which has passed`, advice: NTP }];
  const found = [...setBack(sight), ...againstReaders(sight)];
  return found.length > 0 ? found : [{ check: 'clock', level: 'ok', message: says }];
}

function setBack({ store, now }: Sight): readonly Finding[] {
  if (!store) return [];
  let newest = 0;
  for (const { value } of store.range(tables.deviceActivity))
    newest = Math.max(newest, value.lastSeenAt ?? 0);
  if (newest <= now + CLOCK_TOLERANCE_MS) return [];
  const message = `a reader was last seen at ${formatInstant(newest)}, which is yet to come: the clock was set back`;
  return [{ check: 'clock', level: 'warning', message, advice: NTP }];
}

function againstReaders({ diagnostics, config }: Sight): readonly Finding[] {
  const ahead = (diagnostics?.devices ?? [])
    .flatMap(({ clockAheadMs }) => (clockAheadMs === null ? [] : [clockAheadMs]))
    .sort((a, b) => a - b);
  const median = ahead[Math.floor(ahead.length / 2)] ?? 0;
  if (ahead.length < READERS_TO_COMPARE || median <= config.ingest.maxClockSkewSeconds * 1000) return [];
  const message = `most of ${counted(ahead.length, 'reader')} are ahead of it, in the middle by ${(median / 1000).toFixed(1)} s: it is slow`;
  return [{ check: 'clock', level: 'warning', message, advice: NTP }];
}

/** Free space and files of the data folder's volume against `storage.minFreeMegabytes`, and whether it can be written. */
export async function checkDisk({ config }: Sight): Promise<readonly Finding[]> {
  const subject = config.dataDir;
  return [...roomFindings(subject, await diskRoom(config)), ...(await writable(subject))];
}

/**
 * What is to be said of the room on a volume: a fault below the floor, a warning below three floors (as the disk
 * guard's) or a hundredth of its files. Pure.
 */
export function roomFindings(subject: string, room: DiskRoom): readonly Finding[] {
  const { free, size, floor, files, filesFree } = room;
  const message = `${megabytes(free)} of ${megabytes(size)} free, ${megabytes(floor)} needed`;
  const level = free < floor ? 'fault' : free < LOW_FLOORS * floor ? 'warning' : 'ok';
  const advice = 'make room, or move the data folder to a larger volume';
  return [
    { check: 'disk', level, subject, message, ...(level !== 'ok' && { advice }) },
    ...(files > 0 && filesFree < files / 100 ? [fewFiles(subject, filesFree)] : []),
  ];
}

function fewFiles(subject: string, filesFree: number): Finding {
  const message = `room for ${counted(filesFree, 'more file')} only`;
  return { check: 'disk', level: 'warning', subject, message, advice: 'remove small files from this volume' };
}

async function writable(subject: string): Promise<readonly Finding[]> {
  try {
    await access(subject, constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const advice = 'mount it writable, or run as the user who owns it';
    return [
      { check: 'disk', level: 'fault', subject, message: `can't be written: ${reasonOf(error)}`, advice },
    ];
  }
}

const megabytes = (bytes: number): string => `${Math.floor(bytes / MEGABYTE)} MB`;

interface Guarded {
  readonly path: string;
  readonly level: 'warning' | 'fault';
  readonly mode: string;
}

/** Who else may look into the folders and keys. */
export async function checkModes({ config }: Sight): Promise<readonly Finding[]> {
  const { dataDir, certsDir, https, pki, backup, mail } = config;
  const secret = [
    join(certsDir, certFiles.caKey),
    join(certsDir, certFiles.serverKey),
    https.keyFile,
    pki.passphraseFile,
    backup.passphraseFile,
    mail.passwordFile,
  ];
  const guarded: Guarded[] = [
    ...[dataDir, certsDir].map((path) => ({ path, level: 'warning' as const, mode: '700' })),
    ...secret.flatMap((path) => (path === null ? [] : [{ path, level: 'fault' as const, mode: '600' }])),
  ];
  const found = (await Promise.all(guarded.map(openToOthers))).flat();
  const message = 'folders and keys are closed to other users';
  return found.length > 0 ? found : [{ check: 'modes', level: 'ok', message }];
}

async function openToOthers({ path, level, mode }: Guarded): Promise<readonly Finding[]> {
  const found = await stat(path).catch(() => null);
  // One that is missing is missed elsewhere.
  if (!found || (found.mode & OTHERS) === 0) return [];
  const message = `has mode ${(found.mode & 0o777).toString(8)}: other users can get at it`;
  return [{ check: 'modes', level, subject: path, message, advice: `run: chmod ${mode} ${path}` }];
}
