import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import type { Config } from '../config/options.ts';

/** Below everything the appliance does. */
const NICE = 10;
/** Between being asked to stop and being killed; the appliance itself has 4.5 s for its stop. */
const GRACE_MS = 1000;
const MINUTE_MS = 60_000;

/** What LMDB ends a process with whose pages point elsewhere. */
const crashes: ReadonlySet<unknown> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT']);

export interface OwnChildOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Characters of each output that are kept: the last ones. */
  readonly outputMax: number;
}

/** How a command ended. */
export interface ChildEnd {
  /** Why it came to no end of its own, one line; null: it did, and `code` is its exit code. */
  readonly problem: string | null;
  readonly code: number | NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a command of this program in a process of its own, for what would hold up this one's event loop. One that takes too
 * long, or is no longer wanted, is asked to stop, and killed a second later. Never rejects.
 */
export async function runOwnChild(options: OwnChildOptions): Promise<ChildEnd> {
  const [program = '', ...args] = options.command;
  const child = spawn(program, args, { env: options.env, stdio: ['ignore', 'pipe', 'pipe'] });
  // Heard before anything else: without file descriptors left there are no pipes, only an error in the next turn.
  const end = ended(child);
  const output = { out: '', err: '' };
  const kept = (text: string, chunk: Buffer): string => `${text}${chunk}`.slice(-options.outputMax);
  child.stdout?.on('data', (chunk: Buffer) => (output.out = kept(output.out, chunk)));
  child.stderr?.on('data', (chunk: Buffer) => (output.err = kept(output.err, chunk)));
  const limits = stopper(child, options);
  const { code, error } = await end;
  limits.clear();
  return { ...output, code, problem: error ?? problemOf(code, { ...options, isLate: limits.isLate() }) };
}

function problemOf(
  code: ChildEnd['code'],
  { signal, limitMs, isLate }: Pick<OwnChildOptions, 'signal' | 'limitMs'> & { readonly isLate: boolean },
): string | null {
  if (signal.aborted) return 'stopped with the appliance';
  if (isLate) return `took longer than ${spanOf(limitMs)}`;
  return crashes.has(code) ? `ended with ${code}, as of a damaged store` : null;
}

function spanOf(ms: number): string {
  return ms < MINUTE_MS ? `${ms / 1000} s` : `${ms / MINUTE_MS} minutes`;
}

function stopper(child: ChildProcess, { limitMs, signal }: Pick<OwnChildOptions, 'limitMs' | 'signal'>) {
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

function ended(
  child: ChildProcess,
): Promise<{ readonly code: ChildEnd['code']; readonly error: string | null }> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, error: `can't be started: ${error.message}` }));
    // Not `exit`: what it said may still be on its way.
    child.once('close', (code, signal) => resolve({ code: code ?? signal, error: null }));
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

/** What a command said why it failed, one line. */
export function reasonIn({ err, code }: Pick<ChildEnd, 'err' | 'code'>): string {
  const last = err.trim().split('\n').at(-1) ?? '';
  const reason = last.replace(/^tagkeep: /, '');
  return reason === '' ? `ended with ${String(code)}` : reason;
}

/** For a command beside this process. The file may have been edited since the start; what counts is what this process serves. */
export function environmentOf({ dataDir, certsDir, storage, pki }: Config): NodeJS.ProcessEnv {
  return {
    ...process.env,
    TAGKEEP_DATA_DIR: dataDir,
    TAGKEEP_CERTS_DIR: certsDir,
    TAGKEEP_STORAGE__MIN_FREE_MEGABYTES: String(storage.minFreeMegabytes),
    ...(pki.passphraseFile !== null && { TAGKEEP_PKI__PASSPHRASE_FILE: pki.passphraseFile }),
  };
}
