import { createContext, use } from 'react';
import type { Field } from '../../../contract/field.ts';

/** What is asked about a column before it is done. */
export type ColumnQuestion =
  | { readonly kind: 'add' }
  | { readonly kind: 'rename' | 'delete'; readonly field: Field };

/** What the menus of the columns act on. */
export interface ColumnContextValue {
  /** The fields whose columns are shown, from left to right, without the name field, which has a place of its own. */
  readonly movable: readonly Field[];
  readonly hide: (id: string) => void;
  readonly ask: (question: ColumnQuestion) => void;
}

export const ColumnContext = createContext<ColumnContextValue>({
  movable: [],
  hide: () => undefined,
  ask: () => undefined,
});

export const useColumns = (): ColumnContextValue => use(ColumnContext);
