import { statfs } from 'node:fs/promises';

const MEGABYTE = 1024 * 1024;
/** A small volume keeps a tenth of itself free, not the whole floor. */
const FLOOR_SHARE = 0.1;
/** Below so many times the floor the operator is warned, while everything still goes on. */
export const LOW_FLOORS = 3;

/** Bytes of a volume that stay free: nothing is written while there are fewer. `size` is the volume's, in bytes. */
export function diskFloor(minFreeMegabytes: number, size: number): number {
  return Math.min(minFreeMegabytes * MEGABYTE, size * FLOOR_SHARE);
}

/** Watches the free space of the data folder's volume, so that writes stop while there is still room to recover. */
export class DiskGuard {
  readonly #dir: string;
  readonly #minFreeMegabytes: number;
  #blocked: string | null = null;
  #low: string | null = null;

  constructor(dir: string, minFreeMegabytes: number) {
    this.#dir = dir;
    this.#minFreeMegabytes = minFreeMegabytes;
  }

  /** Why nothing may be written now, in one line; null when there is room. */
  get blocked(): string | null {
    return this.#blocked;
  }

  /** That space runs out, in one line, while there still is some; null when there is plenty, and also once writes stop. */
  get low(): string | null {
    return this.#low;
  }

  /** Looks at the volume; call it every second. */
  async check(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#dir);
    const free = bavail * bsize;
    const floor = diskFloor(this.#minFreeMegabytes, blocks * bsize);
    const left = `${Math.floor(free / MEGABYTE)} MB free in ${this.#dir}`;
    const needed = `${Math.ceil(floor / MEGABYTE)} MB`;
    this.#blocked = free < floor ? `disk nearly full: ${left}, ${needed} needed` : null;
    this.#low =
      free >= floor && free < floor * LOW_FLOORS
        ? `disk fills up: ${left}; below ${needed} writes are refused and readers keep their reads`
        : null;
  }
}
