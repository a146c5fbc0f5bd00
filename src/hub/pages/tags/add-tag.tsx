import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { TagData } from '../../../contract/tag-data.ts';
import { call } from '../../api/call.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { useReason } from '../../ui/failed.tsx';
import { useAction } from '../../ui/use-action.ts';
import { epcOf } from './epc-input.ts';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onAdded: (epc: string) => void;
}

function Form({ onAdded }: Pick<Props, 'onAdded'>) {
  const text = useText(tagsText);
  const common = useText(commonText);
  const reason = useReason();
  const [typed, setTyped] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  // Data with nothing in it makes the tag known.
  const add = useAction({
    run: (epc: string) => call<TagData>('PUT', `/tags/${epc}/data`, { body: {} }),
    changes: [['tag']],
    quiet: true,
    onDone: ({ epc }) => onAdded(epc),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const epc = epcOf(typed);
    setIsWrong(epc === null);
    if (epc !== null) add.mutate(epc);
  };
  const error = isWrong ? text.notEpc : add.error && reason(add.error);
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          data-autofocus
          label="EPC"
          description={text.addTagHelp}
          classNames={{ input: 'code' }}
          maxLength={200}
          value={typed}
          error={error}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={add.isPending} disabled={!typed.trim()}>
            {common.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Makes a tag known before it is read. */
export function AddTag({ opened, onClose, onAdded }: Props) {
  const text = useText(tagsText);
  return (
    <Modal opened={opened} onClose={onClose} title={text.addTag} centered>
      <Form onAdded={onAdded} />
    </Modal>
  );
}
