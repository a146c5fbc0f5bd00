import type { Tag } from '../../../contract/tag.ts';

/** The rows of the table, as far as they are known. */
export interface TagList {
  /** Rows of the table; when it is not complete, those known so far. */
  readonly count: number;
  /** `count` is all there are. Some of them may still have to be loaded. */
  readonly isComplete: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  /** The tag in a row; undefined while it is being loaded. */
  readonly at: (index: number) => Tag | undefined;
  readonly loaded: () => readonly Tag[];
}

/** Indexes of the rows that are looked at. */
export interface Window {
  readonly first: number;
  readonly last: number;
}
