import { Alert, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Field } from '../../../contract/field.ts';
import { useCanWrite } from '../../api/queries.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { Failed } from '../../ui/failed.tsx';
import { ChosenBar } from './chosen-bar.tsx';
import { ColumnContext, type ColumnQuestion } from './column-context.ts';
import { ColumnQuestions } from './column-questions.tsx';
import { columnsOf } from './columns.ts';
import { ListState } from './list-state.tsx';
import { ListToolbar } from './list-toolbar.tsx';
import { NoTags } from './no-tags.tsx';
import { TagGrid } from './tag-grid.tsx';
import { type RowEdits, useCellEdits } from './use-cell-edits.ts';
import { useHidden } from './use-hidden.ts';
import { LiveContext } from './use-live-rows.ts';
import type { Table } from './use-table.ts';
import type { Written } from './written.ts';
import { hideWritten, tellWritten } from './written-notice.tsx';

interface Props {
  readonly fields: readonly Field[];
  readonly table: Table;
  readonly onOpen: (epc: string) => void;
}

/** Why the first of the values that were refused was refused. */
function refusalIn(edits: ReadonlyMap<string, RowEdits>): string | null {
  for (const row of edits.values()) for (const { reason } of row.values()) if (reason !== null) return reason;
  return null;
}

function Refusal({ edits }: { readonly edits: ReadonlyMap<string, RowEdits> }) {
  const text = useText(tagsText);
  const reason = refusalIn(edits);
  if (reason === null) return null;
  return (
    <Alert color="red" role="alert" p="xs" className="anything">
      {text.notSaved(reason)}
    </Alert>
  );
}

function useColumnState(fields: readonly Field[]) {
  const { hidden, hide, show } = useHidden();
  const [question, ask] = useState<ColumnQuestion | null>(null);
  const columns = useMemo(() => columnsOf(fields, hidden), [fields, hidden]);
  const movable = columns.flatMap(({ field }) => (field && !field.isLabel ? field : []));
  return { hidden, hide, show, question, ask, columns, movable };
}

/** The table with what is above and below it. */
export function TagTable({ fields, table, onOpen }: Props) {
  const text = useText(tagsText);
  const canWrite = useCanWrite();
  const { list, live, chosen, query } = table;
  const column = useColumnState(fields);
  const cells = useCellEdits((written: Written) => tellWritten(written, (one) => void cells.takeBack(one)));
  const isEmpty = list.isComplete && list.count === 0;
  return (
    <Stack gap="sm">
      <ListToolbar
        query={query}
        onQuery={table.setQuery}
        fields={fields}
        hidden={column.hidden}
        onHide={column.hide}
        onShow={column.show}
        onAdd={() => column.ask({ kind: 'add' })}
      />
      <Group gap="md" mih={26}>
        {chosen.size > 0 ? (
          <ChosenBar chosen={chosen} onNone={table.chooseNone} />
        ) : (
          <ListState list={list} news={live.news} onReload={table.reload} />
        )}
      </Group>
      <Refusal edits={cells.edits} />
      {list.error && <Failed error={list.error} retry={list.retry} />}
      {isEmpty && <NoTags query={query} onAll={() => table.setQuery({ q: '', data: 'all' })} />}
      {!isEmpty && (
        <LiveContext value={live.rows}>
          <ColumnContext value={{ movable: column.movable, hide: column.hide, ask: column.ask }}>
            <VisuallyHidden id="tags-keys">{text.keys}</VisuallyHidden>
            <TagGrid
              key={table.key}
              list={list}
              columns={column.columns}
              edits={cells.edits}
              chosen={chosen}
              canWrite={canWrite}
              search={location.search}
              onWrite={(written) => void cells.write(written)}
              onDrop={cells.drop}
              onUndo={() => {
                hideWritten();
                void cells.takeBack();
              }}
              onChoose={table.choose}
              onOpen={onOpen}
              onWindow={table.onWindow}
            />
          </ColumnContext>
        </LiveContext>
      )}
      <Text size="xs" c="dimmed" visibleFrom="md" aria-hidden>
        {text.keys}
      </Text>
      <ColumnQuestions question={column.question} onClose={() => column.ask(null)} />
    </Stack>
  );
}
