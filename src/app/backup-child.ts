import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { z } from 'zod';
import { BackupError } from './backup-error.ts';

/** Below everything the appliance does. */
const NICE = 10;
/** Between being asked to stop and being killed; the appliance itself has 4.5 s for its stop. */
const GRACE_MS = 1000;
/** Characters of output that are kept. */
const OUTPUT_MAX = 64_000;

/** What LMDB ends a process with whose pages point elsewhere. */
const crashes: ReadonlySet<unknown> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT']);

const doneSchema = z.object({
  file: z.string(),
  bytes: z.number(),
  removed: z.array(z.string()),
  warnings: z.array(z.string()),
});
/** What `tagkeep backup --json` says of a backup it made. */
export type ChildDone = z.infer<typeof doneSchema>;

export interface ChildOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Runs `tagkeep backup` in a process of its own: LMDB's copy would hold up this one's event loop. One that takes too long,
 * or is no longer wanted, is asked to stop, and killed a second later. Throws `BackupError` with its reason, one line.
 */
export async function runBackupChild(options: ChildOptions): Promise<ChildDone> {
  const [program = '', ...args] = options.command;
  const child = spawn(program, args, { env: options.env, stdio: ['ignore', 'pipe', 'pipe'] });
  // Heard before anything else: without file descriptors left there are no pipes, only an error in the next turn.
  const end = ended(child);
  end.catch(() => undefined);
  const output = { out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => (output.out = `${output.out}${chunk}`.slice(-OUTPUT_MAX)));
  child.stderr?.on('data', (chunk: Buffer) => (output.err = `${output.err}${chunk}`.slice(-OUTPUT_MAX)));
  const limits = stopper(child, options);
  try {
    const code = await end;
    if (options.signal.aborted) throw new BackupError('stopped with the appliance');
    if (limits.isLate()) throw new BackupError(`took longer than ${options.limitMs / 60_000} minutes`);
    if (crashes.has(code)) throw new BackupError(`ended with ${code}, as of a damaged store`);
    if (code !== 0) throw new BackupError(reasonIn(output.err, code));
    return doneSchema.parse(JSON.parse(output.out));
  } finally {
    limits.clear();
  }
}

function stopper(child: ChildProcess, { limitMs, signal }: ChildOptions) {
  let isLate = false;
  let killing: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    killing = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  };
  const limit = setTimeout(() => {
    isLate = true;
    stop();
  }, limitMs);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return {
    isLate: () => isLate,
    clear: (): void => {
      clearTimeout(limit);
      clearTimeout(killing);
      signal.removeEventListener('abort', stop);
    },
  };
}

function ended(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new BackupError(`can't be started: ${error.message}`)));
    // Not `exit`: what it said may still be on its way.
    child.once('close', (code, signal) => resolve(code ?? signal));
    child.once('spawn', () => lowerPriority(child.pid));
  });
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICE);
  } catch {
    // A hardened service may not; it is a courtesy.
  }
}

function reasonIn(stderr: string, code: unknown): string {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  const reason = last.replace(/^tagkeep: /, '');
  return reason === '' ? `ended with ${String(code)}` : reason;
}
