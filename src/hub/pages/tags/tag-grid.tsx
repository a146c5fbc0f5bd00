// biome-ignore-all lint/a11y/useSemanticElements: a table element cannot leave out the rows and columns that are not in view
import { useMemo } from 'react';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { usePlace } from '../../time/when.tsx';
import { isAllChosen } from './chosen.ts';
import styles from './grid.module.css';
import { GridContext } from './grid-context.ts';
import { gridHandlers } from './grid-handlers.ts';
import { GridHead } from './grid-head.tsx';
import type { GridProps } from './grid-props.ts';
import { GridRow } from './grid-row.tsx';
import { useGridControl, useSteady } from './use-grid-control.ts';
import { useGridView } from './use-grid-view.ts';

/** The table of the tags: rows and columns in view only, moved about in and written into by keys as in a spreadsheet. */
export function TagGrid(props: GridProps) {
  const text = useText(tagsText);
  const site = usePlace();
  const { list, columns, search } = props;
  const view = useGridView(props);
  const control = useGridControl(props, view);
  const { active, typing } = control;
  const { commit, cancel } = useSteady(control);
  const context = useMemo(
    () => ({ commit, cancel, site: { language: site.language, timeZone: site.timeZone }, search }),
    [commit, cancel, site.language, site.timeZone, search],
  );
  return (
    <GridContext value={context}>
      <div
        ref={view.box}
        role="grid"
        aria-label={text.table}
        aria-describedby="tags-keys"
        aria-rowcount={list.isComplete ? list.count + 1 : -1}
        aria-colcount={columns.length}
        aria-multiselectable
        className={styles.box}
        {...gridHandlers({ props, control, page: view.page })}
      >
        <div
          role="rowgroup"
          className={styles.body}
          style={{ height: view.height, width: view.width, minWidth: '100%' }}
        >
          <GridHead
            columns={view.columns}
            width={view.width}
            activeCol={active.row === -1 ? active.col : -1}
            isEverythingChosen={isAllChosen(props)}
          />
          {view.rows.map(({ index, top }) => {
            const tag = list.at(index);
            return (
              <GridRow
                key={index}
                tag={tag}
                index={index}
                top={top}
                width={view.width}
                columns={view.columns}
                activeCol={active.row === index ? active.col : -1}
                typing={typing !== null && typing.epc === tag?.epc ? typing.start : undefined}
                edits={tag && props.edits.get(tag.epc)}
                isChosen={tag !== undefined && props.chosen.has(tag.epc)}
                canWrite={props.canWrite}
              />
            );
          })}
        </div>
      </div>
    </GridContext>
  );
}
