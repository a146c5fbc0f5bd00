import { z } from 'zod';
import { BackupError } from './backup-error.ts';
import { type OwnChildOptions, reasonIn, runOwnChild } from './own-child.ts';

/** Characters of output that are kept. */
const OUTPUT_MAX = 64_000;

const doneSchema = z.object({
  file: z.string(),
  bytes: z.number(),
  removed: z.array(z.string()),
  warnings: z.array(z.string()),
});
/** What `tagkeep backup --json` says of a backup it made. */
export type ChildDone = z.infer<typeof doneSchema>;

/**
 * Runs `tagkeep backup` in a process of its own: LMDB's copy would hold up this one's event loop. Throws `BackupError` with
 * its reason, one line.
 */
export async function runBackupChild(options: Omit<OwnChildOptions, 'outputMax'>): Promise<ChildDone> {
  const end = await runOwnChild({ ...options, outputMax: OUTPUT_MAX });
  if (end.problem !== null) throw new BackupError(end.problem);
  if (end.code !== 0) throw new BackupError(reasonIn(end));
  return doneSchema.parse(JSON.parse(end.out));
}
