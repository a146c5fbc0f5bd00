import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const schema = z.object({
  /** Epoch ms of its begin. */
  at: z.number(),
  seconds: z.number().min(0),
  /** Of the file; 0 when it failed. */
  bytes: z.number().min(0),
  /** Why it failed, one line; null: it did not. */
  error: z.string().nullable(),
});

/** What came of the last scheduled backup. */
export type BackupRecord = z.infer<typeof schema>;

const fileIn = (dataDir: string): string => join(dataDir, 'run', 'last-backup.json');

/** Null when there was none, or the file is none of ours. */
export function readBackupRecord(dataDir: string): BackupRecord | null {
  try {
    return schema.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

/** Keeps it over a restart, for figures and the doctor. A full disk loses no more than that. */
export async function writeBackupRecord(dataDir: string, record: BackupRecord): Promise<void> {
  const temporary = `${fileIn(dataDir)}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(temporary, JSON.stringify(record), { mode: 0o600, flag: 'wx' });
    await rename(temporary, fileIn(dataDir));
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}
