const NAME = /^tagkeep-[A-Za-z0-9-]{1,40}-([0-9a-f]{8})-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)\.(?:tkb|tar)$/;
const HOST_MAX = 40;

/** Whose backup it is: the machine's name is for people, the id (`authorityId`) tells one appliance from another. */
export interface BackupOwner {
  readonly host: string;
  /** Eight hex digits. */
  readonly id: string;
}

/** What the name of a backup in a folder says. */
export interface NamedBackup {
  readonly name: string;
  readonly id: string;
  /** Epoch ms, whole seconds. */
  readonly at: number;
}

/** The name of a backup made at `now` (UTC), `tagkeep-HOST-3fa9c2d1-20260131-235959.tkb`; a plain one ends in `.tar`. */
export function backupName({ host, id }: BackupOwner, now: number, isPlain: boolean): string {
  const [day = '', time = ''] = new Date(now)
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '')
    .split('T');
  return `tagkeep-${cleanHost(host)}-${id}-${day}-${time}.${isPlain ? 'tar' : 'tkb'}`;
}

/** What a name says; null for a file that is no backup of any Tagkeep. */
export function parseBackupName(name: string): NamedBackup | null {
  const [found, id = '', ...parts] = NAME.exec(name) ?? [];
  if (found === undefined) return null;
  const [year = 0, month = 1, day, hour, minute, second] = parts.map(Number);
  return { name, id, at: Date.UTC(year, month - 1, day, hour, minute, second) };
}

/**
 * Backups from the one to go first to the one to stay longest, as seen by one made at `now`. Names from after `now` come
 * first: they were given while the clock ran ahead, so they are older than they say.
 */
export function oldestFirst(backups: readonly NamedBackup[], now: number): readonly NamedBackup[] {
  const isAhead = (one: NamedBackup): number => (one.at > now ? 0 : 1);
  return backups.toSorted((a, b) => isAhead(a) - isAhead(b) || a.at - b.at);
}

function cleanHost(host: string): string {
  const clean = host.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, HOST_MAX);
  return clean.replaceAll(/^-|-$/g, '') || 'box';
}
