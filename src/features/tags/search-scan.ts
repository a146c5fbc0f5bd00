import type { Pace } from '../../lib/pace.ts';
import { TAGS_PER_BLOCK } from './search-blocks.ts';

export interface ScanOptions {
  /** How many blocks there are. */
  readonly blocks: number;
  /** Calls `found` with every tag of a block that is looked for. */
  readonly look: (block: number, found: (tagNo: number) => void) => void;
}

/** A way through all blocks of the index, newest first, in slices. */
export class Scan {
  /** Tags found so far, each once. */
  readonly hits: number[] = [];
  readonly #options: ScanOptions;
  #left: number;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#left = options.blocks;
  }

  /** Whether all blocks were looked at. */
  get through(): boolean {
    return this.#left === 0;
  }

  /** How many hits there are among the tags looked at so far, from 0 to 1. */
  get density(): number {
    return this.hits.length / Math.max(1, (this.#options.blocks - this.#left) * TAGS_PER_BLOCK);
  }

  /** Goes on until there are so many hits or all blocks were looked at. */
  async run(enough: number, pace: Pace): Promise<void> {
    const found = (tagNo: number): void => {
      this.hits.push(tagNo);
    };
    while (this.#left > 0 && this.hits.length < enough) {
      this.#options.look(--this.#left, found);
      if (pace.due) await pace.pause();
    }
  }
}
