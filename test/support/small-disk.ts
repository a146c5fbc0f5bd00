import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A volume of its own in memory, mounted in a new folder; only where mounting is allowed. */
export class SmallDisk {
  readonly dir: string;
  readonly #ballast: string;

  /** `options` as `mount -o` takes them: `size=24m`, `ro`. */
  constructor(options: string) {
    this.dir = mkdtempSync(join(tmpdir(), 'tagkeep-disk-'));
    this.#ballast = join(this.dir, 'ballast');
    execFileSync('mount', ['-t', 'tmpfs', '-o', `mode=0700,${options}`, 'tmpfs', this.dir], {
      stdio: 'pipe',
    });
  }

  /** Takes every byte that is left. */
  fill(): void {
    const file = openSync(this.#ballast, 'a');
    try {
      for (const bytes of [1024 * 1024, 4096]) {
        const chunk = Buffer.alloc(bytes);
        while (tryWrite(file, chunk)) {}
      }
    } finally {
      closeSync(file);
    }
  }

  /** Gives back what `fill` took. */
  empty(): void {
    rmSync(this.#ballast, { force: true });
  }

  remove(): void {
    execFileSync('umount', [this.dir], { stdio: 'pipe' });
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function tryWrite(file: number, chunk: Buffer): boolean {
  try {
    return writeSync(file, chunk) > 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false;
    throw error;
  }
}

let answer: boolean | null = null;

/** Whether this process may mount: root outside most containers. */
export function canMount(): boolean {
  answer ??= tryMount();
  return answer;
}

function tryMount(): boolean {
  try {
    new SmallDisk('size=1m').remove();
    return true;
  } catch {
    return false;
  }
}
