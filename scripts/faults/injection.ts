import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** What fails in the process: system calls as `strace -e inject=` takes them. */
export interface Injection {
  /** `fdatasync:error=EIO`, as many as there are. */
  readonly calls: readonly string[];
}

/** Why calls can't be made to fail here, with what to do about it; null when they can. */
export function injectionProblem(): string | null {
  const { error, status, stderr } = spawnSync('strace', ['-qq', '-e', 'trace=none', 'true'], {
    encoding: 'utf8',
  });
  if (error) return 'strace is not there: apt-get install strace';
  return status === 0 ? null : `strace may not trace here: ${stderr.trim().split('\n').at(-1) ?? status}`;
}

/** Makes system calls of a running process fail until it is taken away. */
export class FailingCalls {
  readonly #strace: ChildProcess;

  private constructor(strace: ChildProcess) {
    this.#strace = strace;
  }

  /** Resolves when every thread of the process is under it. */
  static async attach(pid: number, { calls }: Injection): Promise<FailingCalls> {
    const names = calls.map((call) => call.split(':')[0]).join(',');
    const inject = calls.flatMap((call) => ['-e', `inject=${call}`]);
    const args = ['-f', '-p', String(pid), '-e', `trace=${names}`, '-e', 'signal=none', ...inject];
    const strace = spawn('strace', [...args, '-o', '/dev/null'], { stdio: ['ignore', 'ignore', 'pipe'] });
    const { stderr } = strace;
    await new Promise<void>((resolve, reject) => {
      let said = '';
      stderr.on('data', (chunk: Buffer) => {
        said += chunk;
        if (/ attached/.test(said)) resolve();
      });
      strace.once('error', reject);
      strace.once('exit', () => reject(new Error(`strace ended: ${said.trim()}`)));
    });
    return new FailingCalls(strace);
  }

  /** Calls go through again; nothing to do when the process has ended meanwhile. */
  async detach(): Promise<void> {
    const strace = this.#strace;
    if (strace.exitCode !== null || strace.signalCode !== null) return;
    strace.kill('SIGINT');
    await once(strace, 'exit');
  }
}
