// biome-ignore-all lint/a11y/useSemanticElements: a table element cannot leave out the rows and columns that are not in view
import type { ReactNode } from 'react';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { ColumnMenu } from './column-menu.tsx';
import { type Column, STICKY } from './columns.ts';
import styles from './grid.module.css';
import type { ShownColumn } from './grid-row.tsx';

interface HeadProps {
  readonly columns: readonly ShownColumn[];
  readonly width: number;
  readonly activeCol: number;
  readonly isEverythingChosen: boolean;
}

function Heading({ column, isChosen }: { readonly column: Column; readonly isChosen: boolean }): ReactNode {
  const text = useText(tagsText);
  if (column.field) return <ColumnMenu field={column.field} />;
  if (column.kind === 'select')
    return <input type="checkbox" tabIndex={-1} aria-label={text.chooseAll} checked={isChosen} readOnly />;
  if (column.kind === 'epc') return 'EPC';
  return column.kind === 'zone' ? text.zone : text.seen;
}

/** The headings, which the arrow keys reach as the row above the first. */
export function GridHead({ columns, width, activeCol, isEverythingChosen }: HeadProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus is on a cell
    <div role="row" aria-rowindex={1} className={styles.head} style={{ width }}>
      {columns.map(({ column, index, left }) => (
        <div
          key={column.key}
          role="columnheader"
          aria-colindex={index + 1}
          tabIndex={activeCol === index ? 0 : -1}
          data-row={-1}
          data-col={index}
          data-column={column.kind}
          className={`${styles.cell} ${index < STICKY ? styles.fixed : ''} ${column.kind === 'select' ? styles.choice : ''}`}
          style={{ left, width: column.width }}
        >
          <Heading column={column} isChosen={isEverythingChosen} />
        </div>
      ))}
    </div>
  );
}
