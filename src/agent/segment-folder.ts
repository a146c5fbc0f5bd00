import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileStore, freshSegment, type Segment, type Store } from './segment.ts';

const NAME = /^(\d{10})\.seg$/;
const NEWLINE = 10;

/** The folder of a buffer's segments, numbered in the order in which they were begun. */
export class SegmentFolder {
  readonly #dir: string;
  #lastNumber = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * What an earlier run left, oldest first. A line that its end cut off is dropped; a segment that cannot be read is left
   * out. Throws when the folder cannot be had.
   */
  recover(): Segment[] {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const names = readdirSync(this.#dir)
      .filter((name) => NAME.test(name))
      .sort();
    this.#lastNumber = Number(NAME.exec(names.at(-1) ?? '')?.[1] ?? 0);
    return names.flatMap((name) => this.#recovered(join(this.#dir, name)));
  }

  /** A new segment's file. Throws when there is no room for one. */
  make(): Store {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    this.#lastNumber += 1;
    return fileStore(join(this.#dir, `${String(this.#lastNumber).padStart(10, '0')}.seg`));
  }

  #recovered(file: string): readonly Segment[] {
    try {
      const bytes = readFileSync(file);
      const size = bytes.lastIndexOf(NEWLINE) + 1;
      const store = fileStore(file);
      if (size === 0) {
        store.remove();
        return [];
      }
      store.cut(size);
      return [freshSegment(store, size, countLines(bytes.subarray(0, size)))];
    } catch {
      return [];
    }
  }
}

/** How many lines end in these bytes. */
export function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}
