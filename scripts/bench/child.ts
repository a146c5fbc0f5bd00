import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Answer } from './ipc.ts';

/** Which core a process may use: what is measured has one for itself. */
export const cores = { target: 0, load: 1 } as const;

/** False where everything has to share one core, or nothing can be pinned. */
export const canPin =
  availableParallelism() > 1 && ['/usr/bin/taskset', '/bin/taskset'].some((file) => existsSync(file));

const running = new Set<ChildProcess>();

/** Ends every process this one has started, at once. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

export interface SpawnOptions {
  readonly core: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly ipc?: boolean;
}

/** Starts a program on one core. What it writes is kept for the message of a failure. */
export function start(command: readonly string[], options: SpawnOptions): Child {
  const [program = '', ...args] = canPin ? ['taskset', '-c', String(options.core), ...command] : command;
  const process_ = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
    env: { ...process.env, ...options.env },
    // Keeps NaN, which stands for "not measured".
    serialization: 'advanced',
  });
  running.add(process_);
  process_.once('exit', () => running.delete(process_));
  return new Child(process_, command.join(' '));
}

const OUTPUT_KEPT = 4000;

/** A process this one has started. */
export class Child {
  readonly #process: ChildProcess;
  readonly #name: string;
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  #lastId = 0;
  #output = '';
  #exit: string | null = null;

  constructor(child: ChildProcess, name: string) {
    this.#process = child;
    this.#name = name;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-OUTPUT_KEPT);
      });
    }
    child.on('message', (message) => this.#answer(message as Answer)); // ipc.ts at the other end
    child.on('error', (error) => this.#ended(error.message));
    child.on('exit', (code, signal) => this.#ended(`ended with ${signal ?? code}`));
  }

  get pid(): number {
    if (this.#process.pid === undefined) throw new Error(`${this.#name} did not start`);
    return this.#process.pid;
  }

  /** Throws when the process has ended. */
  check(): void {
    if (this.#exit !== null) throw new Error(`${this.#name} ${this.#exit}: ${this.#output.trim()}`);
  }

  /** Asks a program that has `serveParent`; the caller knows what it answers. */
  ask<T>(name: string, argument?: unknown): Promise<T> {
    this.check();
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (value) => resolve(value as T), reject });
      this.#process.send?.({ id, name, argument });
    });
  }

  /** Asks it to end, and kills it if it has not in ten seconds. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#exit !== null) return;
    const exit = once(this.#process, 'exit');
    const limit = setTimeout(() => this.#process.kill('SIGKILL'), 10_000);
    this.#process.kill(signal);
    await exit;
    clearTimeout(limit);
  }

  #answer({ id, value, error }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }

  #ended(how: string): void {
    this.#exit ??= how;
    for (const { reject } of this.#waiting.values()) {
      reject(new Error(`${this.#name} ${how}: ${this.#output.trim()}`));
    }
    this.#waiting.clear();
  }
}
