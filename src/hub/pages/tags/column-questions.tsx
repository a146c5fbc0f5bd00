import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Field } from '../../../contract/field.ts';
import { call } from '../../api/call.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useReason } from '../../ui/failed.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { ColumnQuestion } from './column-context.ts';
import { useFieldChange } from './use-field-change.ts';

const NAME_MAX = 255;

interface NameFormProps {
  readonly start: string;
  readonly action: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSubmit: (label: string) => void;
}

function NameForm({ start, action, busy, error, onSubmit }: NameFormProps) {
  const text = useText(tagsText);
  const reason = useReason();
  const [label, setLabel] = useState(start);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (label.trim()) onSubmit(label.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          data-autofocus
          label={text.fieldName}
          maxLength={NAME_MAX}
          value={label}
          error={error ? reason(error) : undefined}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={busy} disabled={!label.trim()}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function AddField({ onClose }: { readonly onClose: () => void }) {
  const common = useText(commonText);
  const add = useAction({
    run: (label: string) => call<Field>('POST', '/fields', { body: { label } }),
    changes: [['fields']],
    quiet: true,
    onDone: onClose,
  });
  return (
    <NameForm start="" action={common.add} busy={add.isPending} error={add.error} onSubmit={add.mutate} />
  );
}

function RenameField({ field, onClose }: { readonly field: Field; readonly onClose: () => void }) {
  const common = useText(commonText);
  const rename = useFieldChange({ quiet: true, onDone: onClose });
  return (
    <NameForm
      start={field.label}
      action={common.save}
      busy={rename.isPending}
      error={rename.error}
      onSubmit={(label) => rename.mutate({ field, change: { label } })}
    />
  );
}

function DeleteField({ field, onClose }: { readonly field: Field; readonly onClose: () => void }) {
  const text = useText(tagsText);
  const remove = useAction({
    run: () => call<undefined>('DELETE', `/fields/${encodeURIComponent(field.key)}`),
    changes: [['fields'], ['tag']],
    onDone: onClose,
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={text.deleteFieldTitle(field.label)}
      action={text.deleteFieldAction}
      word={field.label.trim()}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <Text size="sm">{text.deleteFieldWhat}</Text>
    </Confirm>
  );
}

interface Props {
  readonly question: ColumnQuestion | null;
  readonly onClose: () => void;
}

/** The dialogs of the columns: a new one, another name, deleting. */
export function ColumnQuestions({ question, onClose }: Props) {
  const text = useText(tagsText);
  if (!question) return null;
  if (question.kind === 'delete') return <DeleteField field={question.field} onClose={onClose} />;
  const title = question.kind === 'add' ? text.addField : text.renameTitle;
  return (
    <Modal opened onClose={onClose} title={title} centered>
      {question.kind === 'add' ? (
        <AddField onClose={onClose} />
      ) : (
        <RenameField field={question.field} onClose={onClose} />
      )}
    </Modal>
  );
}
