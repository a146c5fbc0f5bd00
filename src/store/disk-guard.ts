import { statfs } from 'node:fs/promises';

const MEGABYTE = 1024 * 1024;
/** A small volume keeps a tenth of itself free, not the whole floor. */
const FLOOR_SHARE = 0.1;

/** Watches the free space of the data folder's volume, so that writes stop while there is still room to recover. */
export class DiskGuard {
  readonly #dir: string;
  readonly #minFreeBytes: number;
  #blocked: string | null = null;

  constructor(dir: string, minFreeMegabytes: number) {
    this.#dir = dir;
    this.#minFreeBytes = minFreeMegabytes * MEGABYTE;
  }

  /** Why nothing may be written now, in one line; null when there is room. */
  get blocked(): string | null {
    return this.#blocked;
  }

  /** Looks at the volume; call it every second. */
  async check(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#dir);
    const free = bavail * bsize;
    const floor = Math.min(this.#minFreeBytes, blocks * bsize * FLOOR_SHARE);
    this.#blocked =
      free < floor
        ? `disk nearly full: ${Math.floor(free / MEGABYTE)} MB free in ${this.#dir}, ${Math.ceil(floor / MEGABYTE)} MB needed`
        : null;
  }
}
