import { statfs } from 'node:fs/promises';
import type { Config } from '../config/options.ts';
import { diskFloor } from '../store/disk-guard.ts';

/** The room on the data folder's volume, in bytes. */
export interface DiskRoom {
  readonly free: number;
  readonly size: number;
  /** Nothing is written while less is free (`storage.minFreeMegabytes`, at most a tenth of the volume). */
  readonly floor: number;
  /** Files that can still be made, and that there can be at all; both 0 where the file system has no such limit. */
  readonly filesFree: number;
  readonly files: number;
}

/** Looks at the volume. */
export async function diskRoom({ dataDir, storage }: Pick<Config, 'dataDir' | 'storage'>): Promise<DiskRoom> {
  const { bavail, blocks, bsize, files, ffree } = await statfs(dataDir);
  const size = blocks * bsize;
  const floor = diskFloor(storage.minFreeMegabytes, size);
  return { free: bavail * bsize, size, floor, filesFree: ffree, files };
}

/** Whether it is for want of room that the system refused to write. */
export function isFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
