import { Code, Group, Paper, Stack, Text } from '@mantine/core';
import { IconMailOff } from '@tabler/icons-react';
import type { DeadLetter } from '../../../contract/webhook.ts';
import { call } from '../../api/call.ts';
import { webhooksText } from '../../text/admin-webhooks.ts';
import { useText } from '../../text/language.ts';
import { When } from '../../time/when.tsx';
import { CutText } from '../../ui/cut-text.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { Pieces } from './pieces.tsx';
import { useDeadLetters } from './use-webhooks.ts';

/** Events that were given up, each with a way to send it again. */
export function DeadLetters({ id }: { readonly id: string }) {
  const text = useText(webhooksText);
  const letters = useDeadLetters(id);
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {text.deadHow}
      </Text>
      <Loaded query={letters}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={IconMailOff} title={text.noDead} />
          ) : (
            <Pieces items={all}>
              {(shown) => shown.map((one) => <Letter key={one.id} webhookId={id} letter={one} />)}
            </Pieces>
          )
        }
      </Loaded>
    </Stack>
  );
}

interface LetterProps {
  readonly webhookId: string;
  readonly letter: DeadLetter;
}

function Letter({ webhookId, letter }: LetterProps) {
  const text = useText(webhooksText);
  const retry = useAction({
    run: () => call('POST', `/webhooks/${webhookId}/deliveries/${letter.id}/retry`),
    changes: [['webhooks']],
    done: text.retried,
  });
  return (
    <Paper withBorder p="sm">
      <Stack gap={6}>
        <Group justify="space-between" gap="xs">
          <Text fw={600} size="sm">
            {text.type[letter.type]}
          </Text>
          <WriteButton size="xs" variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
            {text.retry}
          </WriteButton>
        </Group>
        <Text size="xs" c="dimmed">
          {text.happened} <When at={letter.timestamp} />, {text.givenUp} <When at={letter.diedAt} />,{' '}
          {text.attempts(letter.attempts)}
        </Text>
        <CutText size="sm">{letter.error}</CutText>
        <details>
          <summary>{text.data}</summary>
          <Code block className="anything" style={{ whiteSpace: 'pre-wrap' }}>
            {JSON.stringify(letter.data, null, 2)}
          </Code>
        </details>
      </Stack>
    </Paper>
  );
}
