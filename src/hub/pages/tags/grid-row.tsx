// biome-ignore-all lint/a11y/useSemanticElements: a table element cannot leave out the rows and columns that are not in view
import { memo } from 'react';
import type { Tag } from '../../../contract/tag.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { CellEditor } from './cell-editor.tsx';
import { type Column, STICKY } from './columns.ts';
import styles from './grid.module.css';
import { EpcCell, SeenCell, ValueCell, ZoneCell } from './grid-cells.tsx';
import type { RowEdits } from './use-cell-edits.ts';

/** A column that is in view: its number among all, and its left edge in pixels. */
export interface ShownColumn {
  readonly column: Column;
  readonly index: number;
  readonly left: number;
}

interface RowProps {
  readonly tag: Tag | undefined;
  readonly index: number;
  readonly top: number;
  readonly width: number;
  readonly columns: readonly ShownColumn[];
  /** The column of the cell that keys act on; -1 when it is in another row. */
  readonly activeCol: number;
  /** What the field for typing begins with; undefined when nothing in this row is typed. */
  readonly typing: string | undefined;
  readonly edits: RowEdits | undefined;
  readonly isChosen: boolean;
  readonly canWrite: boolean;
}

function Content({
  tag,
  column,
  row,
}: {
  readonly tag: Tag;
  readonly column: Column;
  readonly row: RowProps;
}) {
  const text = useText(tagsText);
  if (column.kind === 'epc') return <EpcCell tag={tag} />;
  if (column.kind === 'zone') return <ZoneCell tag={tag} />;
  if (column.kind === 'seen') return <SeenCell tag={tag} />;
  if (column.field) {
    const { key } = column.field;
    return <ValueCell field={column.field} value={tag.attributes[key] ?? ''} edit={row.edits?.get(key)} />;
  }
  return (
    <input
      type="checkbox"
      tabIndex={-1}
      aria-label={text.chooseOne(tag.epc)}
      checked={row.isChosen}
      readOnly
    />
  );
}

function classOf({ column, index }: ShownColumn, isTyping: boolean, hasFailed: boolean): string {
  const names = [styles.cell];
  if (index < STICKY) names.push(styles.fixed);
  if (column.kind === 'select') names.push(styles.choice);
  if (isTyping) names.push(styles.open);
  if (hasFailed) names.push(styles.failed);
  return names.join(' ');
}

function Cell({ shown, row }: { readonly shown: ShownColumn; readonly row: RowProps }) {
  const text = useText(tagsText);
  const { column, index, left } = shown;
  const { tag, activeCol, typing } = row;
  const isActive = activeCol === index;
  const isTyping = isActive && typing !== undefined;
  const hasFailed = typeof row.edits?.get(column.field?.key ?? '')?.reason === 'string';
  return (
    <div
      role="gridcell"
      aria-colindex={index + 1}
      aria-readonly={column.field ? !row.canWrite : undefined}
      aria-invalid={hasFailed || undefined}
      tabIndex={isActive && !isTyping ? 0 : -1}
      data-row={row.index}
      data-col={index}
      data-column={column.kind}
      className={classOf(shown, isTyping, hasFailed)}
      style={{ left, width: column.width }}
    >
      {!tag && column.kind !== 'select' && <div className={styles.waiting} />}
      {tag && isTyping && <CellEditor start={typing} name={text.edit(column.field?.label ?? '', tag.epc)} />}
      {tag && !isTyping && <Content tag={tag} column={column} row={row} />}
    </div>
  );
}

/** A tag's row. It is drawn again only when something of it changes: what is live changes within the cells. */
export const GridRow = memo(function GridRow(row: RowProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus is on a cell
    <div
      role="row"
      aria-rowindex={row.index + 2}
      aria-selected={row.isChosen}
      aria-busy={row.tag ? undefined : true}
      className={styles.row}
      style={{ top: row.top, width: row.width }}
    >
      {row.columns.map((shown) => (
        <Cell key={shown.column.key} shown={shown} row={row} />
      ))}
    </div>
  );
});
