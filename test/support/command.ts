import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface CommandResult {
  /** The exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Runs it as another user; only root may. */
  readonly uid?: number;
}

const PROGRAM = 'dist/tagkeep.mjs';
const TIMEOUT_MS = 20_000;

/** Runs one command of the program to its end; one that does not end by itself is killed and shows the signal. */
export async function tagkeep(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { env, input = '', uid } = options;
  const as = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: 'pipe', ...as });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const limit = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)]);
  clearTimeout(limit);
  return { code, stdout, stderr };
}

function ended(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
}

/** What a command that can't do what it was asked says: one line on stderr. Throws when it said anything else. */
export function refusalOf({ code, stderr }: CommandResult, expected = 1): string {
  const line = /^tagkeep: ([^\n]+)\n$/.exec(stderr)?.[1];
  if (code !== expected || line === undefined)
    throw new Error(`not a refusal in one line: exit ${code}, stderr ${JSON.stringify(stderr)}`);
  return line;
}
