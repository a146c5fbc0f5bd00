import type { Chosen } from './chosen.ts';
import type { Column } from './columns.ts';
import type { TagList, Window } from './tag-list.ts';
import type { RowEdits } from './use-cell-edits.ts';
import type { Written } from './written.ts';

/** What the table of tags shows, and what it tells of. */
export interface GridProps {
  readonly list: TagList;
  readonly columns: readonly Column[];
  readonly edits: ReadonlyMap<string, RowEdits>;
  readonly chosen: Chosen;
  readonly canWrite: boolean;
  readonly search: string;
  readonly onWrite: (written: Written) => void;
  readonly onDrop: (epc: string, key: string) => void;
  readonly onUndo: () => void;
  readonly onChoose: (epcs: readonly string[], off: boolean) => void;
  readonly onOpen: (epc: string) => void;
  readonly onWindow: (window: Window) => void;
}
