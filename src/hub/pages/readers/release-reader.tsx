import { Paper, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Reader } from '../../../contract/reader.ts';
import { call } from '../../api/call.ts';
import { useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { keepDraft } from './drafts.ts';

/** Takes a reader out of the organisation, after its serial number was typed. */
export function ReleaseReader({ reader }: { readonly reader: Reader }) {
  const text = useText(readersText);
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const release = useAction({
    run: () => call('DELETE', `/readers/${reader.id}`),
    changes: [['alerts'], ['license']],
    done: text.released,
    onDone: () => {
      // Taken from the list here: asking anew for everything of the readers would ask for what this one no longer has.
      client.setQueryData<Reader[]>(['readers'], (all) => all?.filter(({ id }) => id !== reader.id));
      keepDraft(reader.id, {});
      navigate('/readers');
    },
  });
  return (
    <Paper withBorder p="md">
      <Stack align="flex-start">
        <Title order={2} size="h4">
          {text.danger}
        </Title>
        <Text size="sm">{text.releaseWhat}</Text>
        <WriteButton variant="light" color="red" onClick={() => setAsking(true)}>
          {text.release}
        </WriteButton>
      </Stack>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={text.release}
        action={text.release}
        word={reader.serial}
        busy={release.isPending}
        onConfirm={() => release.mutate()}
      >
        {text.releaseWhat}
      </Confirm>
    </Paper>
  );
}
