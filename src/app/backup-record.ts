import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceRunFile } from './run-file.ts';

const schema = z.object({
  /** Epoch ms of its begin. */
  at: z.number(),
  seconds: z.number().min(0),
  /** Of the file; 0 when it failed. */
  bytes: z.number().min(0),
  /** Why it failed, one line; null: it did not. */
  error: z.string().nullable(),
  /** The name of the file it made; absent when it failed. */
  file: z.string().optional(),
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
  await replaceRunFile(fileIn(dataDir), JSON.stringify(record)).catch(() => undefined);
}
