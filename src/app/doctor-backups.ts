import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import type { Config } from '../config/options.ts';
import { formatInstant } from '../lib/instant.ts';
import { authorityId } from './backup-authority.ts';
import { reasonFor } from './backup-error.ts';
import { newestBackup } from './backup-file.ts';
import { readBackupRecord } from './backup-record.ts';
import type { Finding } from './doctor-finding.ts';
import type { Sight } from './doctor-sight.ts';

const HOUR = 3_600_000;
const check = 'backup';

/** The scheduled backups: whether there are any, how old the newest is, why the last one failed, and on which disk they are. */
export async function checkBackups({ config, now }: Sight): Promise<readonly Finding[]> {
  const { dir } = config.backup;
  if (dir === null) {
    const advice = 'name a folder on another disk as backup.dir, and backup.passphraseFile';
    return [{ check, level: 'note', message: 'no backups are scheduled', advice }];
  }
  const about = { check, subject: dir };
  try {
    const at = await newestBackup(dir, { id: await authorityId(config.certsDir), until: now + HOUR });
    const findings = [ageFinding(at, { config, now }), ...(await passphraseFindings(config))];
    const last = readBackupRecord(config.dataDir);
    if (last?.error != null && (at === null || last.at > at))
      findings.push({ level: 'warning', message: `the last one failed: ${last.error}` });
    if (await isSameDisk(dir, config.dataDir))
      findings.push({
        ...{ level: 'note', message: 'backups lie on the disk of the data, and are lost with it' },
        advice: 'copy them elsewhere, or name a folder on another disk',
      });
    return findings.map((finding) => ({ ...about, ...finding }));
  } catch (error) {
    const advice = 'make the folder, or mount its volume; the user tagkeep runs as must be able to write it';
    return [{ ...about, level: 'warning', message: `can't be used: ${reasonFor(error)}`, advice }];
  }
}

type About = Omit<Finding, 'check' | 'subject'>;

function ageFinding(
  at: number | null,
  { config, now }: { readonly config: Config; readonly now: number },
): About {
  const { everyHours } = config.backup;
  const advice = 'see that the appliance runs, and its log';
  if (at === null) return { level: 'warning', message: 'there is no backup yet', advice };
  const message = `the newest backup is of ${formatInstant(at)}`;
  return now - at <= 2 * everyHours * HOUR
    ? { level: 'ok', message }
    : { level: 'warning', message: `${message}; one is due every ${everyHours} h`, advice };
}

async function passphraseFindings({ backup }: Config): Promise<About[]> {
  const { passphraseFile, plain } = backup;
  if (plain) return [{ level: 'note', message: 'backups are not encrypted: whoever has one has the CA key' }];
  if (passphraseFile === null) return [];
  const problem = await access(passphraseFile, constants.R_OK).then(() => null, reasonFor);
  if (problem === null) return [];
  return [{ level: 'warning', message: `backup.passphraseFile can't be read: ${problem}` }];
}

async function isSameDisk(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(one), stat(other)]);
  return a.dev === b.dev;
}
