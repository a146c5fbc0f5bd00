import type { Field, FieldChange } from '../../../contract/field.ts';
import type { Tag } from '../../../contract/tag.ts';
import { call } from '../../api/call.ts';
import { useAction } from '../../ui/use-action.ts';
import { changeRows } from './row-changes.ts';

interface Change {
  readonly field: Field;
  readonly change: FieldChange;
}

/** A row after a field got another key: its value stands under that one. */
function rekeyed(tag: Tag, from: string, to: string): Tag {
  if (from === to || !Object.hasOwn(tag.attributes, from)) return tag;
  const entries = Object.entries(tag.attributes).map(
    ([key, value]) => [key === from ? to : key, value] as const,
  );
  return { ...tag, attributes: Object.fromEntries(entries) };
}

function changed({ field, change }: Change, answer: Field | readonly Field[]): void {
  const now = Array.isArray(answer) ? answer.find(({ id }: Field) => id === field.id) : answer;
  if (now && 'key' in now) changeRows((tag) => rekeyed(tag, field.key, now.key));
  if (change.isLabel === undefined) return;
  const key = change.isLabel ? (now && 'key' in now && now.key) || field.key : null;
  changeRows((tag) => ({ ...tag, label: key === null ? null : (tag.attributes[key] ?? null) }));
}

/** Changes a column: its name, its place, what it is used for. */
export function useFieldChange(options: { readonly quiet?: boolean; readonly onDone?: () => void } = {}) {
  return useAction({
    run: ({ field, change }: Change) =>
      call<Field | readonly Field[]>('PATCH', `/fields/${encodeURIComponent(field.key)}`, { body: change }),
    changes: [['fields'], ['tag']],
    quiet: options.quiet ?? false,
    onDone: (answer, asked) => {
      changed(asked, answer);
      options.onDone?.();
    },
  });
}
