import { createContext, use } from 'react';
import type { Place as Site } from '../../time/format.ts';

/** Where to go on after a value was typed. */
export type After = 'down' | 'right' | 'left' | 'stay';

/** What the cells of the table do and need. It stays the same while the table is there. */
export interface GridContextValue {
  readonly commit: (text: string, after: After) => void;
  readonly cancel: () => void;
  readonly site: Site;
  /** What the address of a tag ends in, so that the search stays. */
  readonly search: string;
}

export const GridContext = createContext<GridContextValue>({
  commit: () => undefined,
  cancel: () => undefined,
  site: { language: 'en', timeZone: undefined },
  search: '',
});

export const useGrid = (): GridContextValue => use(GridContext);
