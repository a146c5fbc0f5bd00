import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { TagData } from '../../../contract/tag-data.ts';
import { call } from '../../api/call.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { useReason } from '../../ui/failed.tsx';
import { refuseOvertaken } from './overtaken.ts';
import { changeRows } from './row-changes.ts';
import { applied, takenBack, valueIn, type Written } from './written.ts';

/** What becomes of a value somebody typed: on its way, or refused. It is kept until it is stored. */
export interface Edit {
  readonly text: string;
  /** Null while it is on its way. */
  readonly reason: string | null;
}

export type RowEdits = ReadonlyMap<string, Edit>;

const UNDO_MAX = 50;

/** Writes values into cells. `onWritten` hears of what was stored and can be undone. */
export function useCellEdits(onWritten: (written: Written) => void) {
  const client = useQueryClient();
  const reason = useReason();
  const text = useText(tagsText);
  const [edits, setEdits] = useState<ReadonlyMap<string, RowEdits>>(new Map());
  const undo = useRef<Written[]>([]);
  const set = (epc: string, key: string, edit: Edit | null) =>
    setEdits((all) => {
      const row = new Map(all.get(epc));
      if (edit) row.set(key, edit);
      else row.delete(key);
      const next = new Map(all).set(epc, row);
      if (row.size === 0) next.delete(epc);
      return next;
    });
  // Answers what has come to stand there, null when it was refused.
  const send = async (written: Written): Promise<Written | null> => {
    const { epc, field, text: value } = written;
    set(epc, field.key, { text: value, reason: null });
    try {
      await refuseOvertaken(written, client, text.overtaken);
      const path = `/tags/${epc}/data` as const;
      const data = await call<TagData>('PUT', path, { body: Object.fromEntries([[field.key, value]]) });
      changeRows(applied(data, field));
      set(epc, field.key, null);
      void client.invalidateQueries({ queryKey: ['tag', epc] });
      return { ...written, text: valueIn(data, field) };
    } catch (error) {
      set(epc, field.key, { text: value, reason: reason(error) });
      return null;
    }
  };
  const write = async (written: Written) => {
    const stored = await send(written);
    if (!stored) return;
    undo.current = [...undo.current, stored].slice(-UNDO_MAX);
    onWritten(stored);
  };
  const takeBack = async (written = undo.current.at(-1)) => {
    if (!written) return;
    undo.current = undo.current.filter((one) => one !== written);
    await send(takenBack(written));
  };
  return { edits, write, takeBack, drop: (epc: string, key: string) => set(epc, key, null) };
}
