import { closeSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs';

/** A part of the buffer, bytes that are added at its end and read anywhere. */
export interface Store {
  /** False once it is in memory only. */
  readonly isOnDisk: boolean;
  /** Adds all or nothing; throws when it cannot. */
  append(bytes: Buffer, at: number): void;
  read(at: number, length: number): Buffer;
  /** Forgets what is from `size` on. */
  cut(size: number): void;
  remove(): void;
  /** Leaves it as it is. */
  close(): void;
}

/**
 * A segment in a file. Never flushed: what the kernel has survives the end of the agent, and what is sent and removed within
 * seconds never reaches the reader's flash, which wears out.
 */
export function fileStore(path: string): Store {
  const handle = openSync(path, 'a+', 0o600);
  return {
    isOnDisk: true,
    append: (bytes, at) => {
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
      } catch (error) {
        // A full disk may have taken a part.
        ftruncateSync(handle, at);
        throw error;
      }
    },
    read: (at, length) => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(handle, bytes, 0, length, at));
    },
    cut: (size) => ftruncateSync(handle, size),
    remove: () => {
      closeSync(handle);
      rmSync(path, { force: true });
    },
    close: () => closeSync(handle),
  };
}

/** A segment in memory, for when the disk takes nothing. */
export function memoryStore(): Store {
  let held = Buffer.alloc(0);
  return {
    isOnDisk: false,
    append: (bytes) => {
      held = Buffer.concat([held, bytes]);
    },
    read: (at, length) => Buffer.from(held.subarray(at, at + length)),
    cut: (size) => {
      held = held.subarray(0, size);
    },
    remove: () => {
      held = Buffer.alloc(0);
    },
    close: () => {},
  };
}

/** How far a segment has been written, read and delivered. Offsets are bytes, always at the end of a line. */
export interface Segment {
  readonly store: Store;
  size: number;
  readTo: number;
  /** Lines from `readTo` on. */
  linesWaiting: number;
  /** Batches read and not yet delivered. */
  batchesOut: number;
}

/** A segment of which nothing has been read. */
export function freshSegment(store: Store, size = 0, linesWaiting = 0): Segment {
  return { store, size, readTo: 0, linesWaiting, batchesOut: 0 };
}

/** Whether all of it has been read and delivered. */
export function isDelivered({ size, readTo, batchesOut }: Segment): boolean {
  return readTo === size && batchesOut === 0;
}
