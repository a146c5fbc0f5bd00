import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

/** Another process running one of our TypeScript programs; it answers in lines. */
export interface Peer {
  readonly child: ChildProcess;
  /** Every line it wrote so far. */
  readonly lines: readonly string[];
  say(line: string): void;
  /** Resolves when `condition` holds for the lines so far; rejects when the process ends before. */
  until(condition: (lines: readonly string[]) => boolean): Promise<void>;
  /** kill -9, resolving when all it wrote has been taken in. */
  kill(): Promise<void>;
  ended(): Promise<number | null>;
}

/** Bundles a program of `test/support` into a file that the packages can be found from. */
export async function bundle(program: string): Promise<string> {
  const folder = join(ROOT, 'node_modules/.cache/tagkeep-test');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${basename(program, '.ts')}-${process.pid}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, program)],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  return outfile;
}

export function startPeer(file: string, args: readonly string[]): Peer {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  let changed = (): void => undefined;
  reader.on('line', (line) => {
    lines.push(line);
    changed();
  });
  const drained = once(reader, 'close').then(() => changed());
  const exited = once(child, 'exit');
  return {
    child,
    lines,
    say: (line) => child.stdin.write(`${line}\n`),
    until: (condition) =>
      new Promise((resolve, reject) => {
        changed = () => {
          if (condition(lines)) resolve();
        };
        drained.then(() =>
          reject(new Error(`the process ended; its last line was ${lines.at(-1) ?? '(none)'}`)),
        );
        changed();
      }),
    kill: async () => {
      child.kill('SIGKILL');
      await Promise.all([exited, drained]);
    },
    ended: async () => {
      child.stdin.end();
      await Promise.all([exited, drained]);
      return child.exitCode;
    },
  };
}
