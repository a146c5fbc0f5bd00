import type { Pace } from '../../lib/pace.ts';

export interface ScanOptions {
  /** How many blocks there are. */
  readonly blocks: number;
  /** Calls `found` with every tag of a block that is looked for. */
  readonly look: (block: number, found: (tagNo: number) => void) => void;
}

/** Every tag looked for, each once: all blocks of the index are gone through, in slices. */
export async function scan({ blocks, look }: ScanOptions, pace: Pace): Promise<readonly number[]> {
  const hits: number[] = [];
  const found = (tagNo: number): void => {
    hits.push(tagNo);
  };
  for (let block = blocks - 1; block >= 0; block--) {
    look(block, found);
    if (pace.due) await pace.pause();
  }
  return hits;
}
