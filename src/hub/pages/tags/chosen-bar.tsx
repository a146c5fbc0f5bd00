import { Button, Group, Stack, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useText } from '../../text/language.ts';
import { tagsText } from '../../text/tags.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { CHOSEN_MAX, type Chosen } from './chosen.ts';
import { changeRows } from './row-changes.ts';

interface Props {
  readonly chosen: Chosen;
  readonly onNone: () => void;
}

function useDelete(text: (typeof tagsText)['en'], onDone: () => void) {
  return useAction({
    run: (epcs: Chosen) =>
      call<{ deleted: number }>('POST', '/tags/bulk-delete', { body: { epcs: [...epcs] } }),
    changes: [['tag'], ['assets'], ['inventory']],
    done: ({ deleted }) => text.deleted(deleted),
    onDone: (_, epcs) => {
      changeRows((tag) => (epcs.has(tag.epc) ? null : tag));
      onDone();
    },
  });
}

/** What can be done with the rows that are chosen. */
export function ChosenBar({ chosen, onNone }: Props) {
  const text = useText(tagsText);
  const [asks, setAsks] = useState(false);
  const remove = useDelete(text, () => {
    setAsks(false);
    onNone();
  });
  return (
    <Group gap="sm" role="status">
      <Text size="sm" fw={600}>
        {text.chosen(chosen.size)}
      </Text>
      {chosen.size >= CHOSEN_MAX && <Text size="sm">{text.chosenMax}</Text>}
      <WriteButton
        size="compact-sm"
        variant="light"
        color="red"
        leftSection={<IconTrash size={14} aria-hidden />}
        onClick={() => setAsks(true)}
      >
        {text.deleteTags}
      </WriteButton>
      <Button size="compact-sm" variant="default" onClick={onNone}>
        {text.chooseNone}
      </Button>
      <Confirm
        opened={asks}
        onClose={() => setAsks(false)}
        title={text.deleteTitle(chosen.size)}
        action={text.deleteTags.replace('…', '')}
        word={String(chosen.size)}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(chosen)}
      >
        <Stack gap="xs">
          <Text size="sm">{text.deleteWhat}</Text>
        </Stack>
      </Confirm>
    </Group>
  );
}
