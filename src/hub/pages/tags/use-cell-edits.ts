import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Field } from '../../../contract/field.ts';
import type { Tag } from '../../../contract/tag.ts';
import type { TagData } from '../../../contract/tag-data.ts';
import { call } from '../../api/call.ts';
import { useReason } from '../../ui/failed.tsx';
import { changeRows } from './use-tag-list.ts';

/** What becomes of a value somebody typed: on its way, or refused. It is kept until it is stored. */
export interface Edit {
  readonly text: string;
  /** Null while it is on its way. */
  readonly reason: string | null;
}

export type RowEdits = ReadonlyMap<string, Edit>;

/** A value written into a cell, and what stood there. */
export interface Written {
  readonly epc: string;
  readonly field: Field;
  readonly before: string;
  readonly text: string;
}

const UNDO_MAX = 50;

/** The new value in the row; the name in the label too. */
export function applied(data: TagData, field: Field): (tag: Tag) => Tag {
  return (tag) => {
    if (tag.epc !== data.epc) return tag;
    const attributes = Object.fromEntries(Object.entries(data.attributes).map(([k, v]) => [k, String(v)]));
    const label = field.isLabel ? (attributes[field.key] ?? null) : tag.label;
    return { ...tag, attributes, label };
  };
}

/** Writes values into cells. `onWritten` hears of what was stored and can be undone. */
export function useCellEdits(onWritten: (written: Written) => void) {
  const client = useQueryClient();
  const reason = useReason();
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
  const send = async ({ epc, field, text }: Written): Promise<boolean> => {
    set(epc, field.key, { text, reason: null });
    try {
      const path = `/tags/${epc}/data` as const;
      const data = await call<TagData>('PUT', path, { body: Object.fromEntries([[field.key, text]]) });
      changeRows(applied(data, field));
      set(epc, field.key, null);
      void client.invalidateQueries({ queryKey: ['tag', epc] });
      return true;
    } catch (error) {
      set(epc, field.key, { text, reason: reason(error) });
      return false;
    }
  };
  const write = async (written: Written) => {
    if (!(await send(written))) return;
    undo.current = [...undo.current, written].slice(-UNDO_MAX);
    onWritten(written);
  };
  const takeBack = async (written = undo.current.at(-1)) => {
    if (!written) return;
    undo.current = undo.current.filter((one) => one !== written);
    await send({ ...written, text: written.before });
  };
  return { edits, write, takeBack, drop: (epc: string, key: string) => set(epc, key, null) };
}
