import { useQueryClient } from '@tanstack/react-query';
import type { TagData } from '../../../contract/tag-data.ts';
import { call } from '../../api/call.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { useReason } from '../../ui/failed.tsx';
import { useAction } from '../../ui/use-action.ts';
import { refuseOvertaken } from './overtaken.ts';
import { changeRows } from './row-changes.ts';
import { applied, takenBack, valueIn, type Written } from './written.ts';
import { tellWritten } from './written-notice.tsx';

const put = ({ epc, field, text }: Written) =>
  call<TagData>('PUT', `/tags/${epc}/data`, { body: Object.fromEntries([[field.key, text]]) });

/** Writes a value of a tag, here and in the table behind, and offers to take it back. */
export function useValueWrite(onDone: () => void) {
  const toReason = useReason();
  const client = useQueryClient();
  const text = useText(tagsText);
  const changes = [['tag'], ['fields']];
  const run = async (written: Written) => {
    await refuseOvertaken(written, client, text.overtaken);
    return put(written);
  };
  const undo = useAction({
    run,
    changes,
    onDone: (data, { field }) => changeRows(applied(data, field)),
  });
  const { mutate, isPending, error } = useAction({
    run,
    changes,
    quiet: true,
    onDone: (data, written) => {
      changeRows(applied(data, written.field));
      const stored = { ...written, text: valueIn(data, written.field) };
      tellWritten(stored, (one) => undo.mutate(takenBack(one)));
      onDone();
    },
  });
  return { write: mutate, isPending, reason: error ? toReason(error) : undefined };
}
