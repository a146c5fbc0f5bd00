import { Group, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Reader } from '../../../contract/reader.ts';
import { call } from '../../api/call.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { useReason } from '../../ui/failed.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWhyNot } from '../../ui/use-why-not.ts';
import { WriteButton } from '../../ui/write-button.tsx';

const NAME_MAX = 255;

/** Another name for a reader. */
export function RenameReader({ reader }: { readonly reader: Reader }) {
  const text = useText(readersText);
  const common = useText(commonText);
  const reason = useReason();
  const whyNot = useWhyNot();
  const client = useQueryClient();
  // What is typed, and what the reader was called then; null while nothing is.
  const [typed, setTyped] = useState<{ readonly name: string; readonly was: string } | null>(null);
  const name = typed?.name ?? reader.name;
  const rename = useAction({
    run: (wanted: string) =>
      call<Reader>('PATCH', `/readers/${reader.id}`, { body: { name: wanted.trim() } }),
    done: text.renamed,
    quiet: true,
    onDone: (changed, wanted) => {
      client.setQueryData<Reader[]>(['readers'], (all) =>
        all?.map((one) => (one.id === changed.id ? changed : one)),
      );
      // What was typed while it was saved stays.
      setTyped((now) => (now === null || now.name === wanted ? null : { ...now, was: changed.name }));
    },
    changes: [['readers']],
  });
  const isNew = name.trim() !== '' && name.trim() !== reader.name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isNew && !rename.isPending) rename.mutate(name);
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="xs">
        <TextInput
          label={common.name}
          value={name}
          maxLength={NAME_MAX}
          readOnly={whyNot !== null}
          description={typed && typed.was !== reader.name ? text.renamedBy(reader.name) : null}
          error={rename.error && reason(rename.error)}
          onChange={(event) => setTyped({ name: event.currentTarget.value, was: typed?.was ?? reader.name })}
          style={{ flex: 1 }}
        />
        <WriteButton type="submit" variant="default" loading={rename.isPending} disabled={!isNew}>
          {text.rename}
        </WriteButton>
      </Group>
    </form>
  );
}
