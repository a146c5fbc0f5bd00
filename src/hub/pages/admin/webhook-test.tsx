import { Alert, Group, Stack } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Attempt, Webhook } from '../../../contract/webhook.ts';
import { call } from '../../api/call.ts';
import { webhooksText } from '../../text/admin-webhooks.ts';
import { useText } from '../../text/language.ts';
import { useCount } from '../../time/numbers.ts';
import { CutText } from '../../ui/cut-text.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';

interface Props {
  readonly webhook: Webhook;
  /** Buttons beside it. */
  readonly extra: ReactNode;
}

/** Sends a test and says what came of it. */
export function TestWebhook({ webhook, extra }: Props) {
  const text = useText(webhooksText);
  const test = useAction({
    run: () => call<Attempt>('POST', `/webhooks/${webhook.id}/test`),
    changes: [['webhooks', webhook.id]],
    quiet: true,
  });
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <WriteButton
          leftSection={<IconSend size={16} aria-hidden />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {text.test}
        </WriteButton>
        {extra}
      </Group>
      <Refusal error={test.error} />
      <div aria-live="polite">{test.data && !test.isPending && <Outcome attempt={test.data} />}</div>
    </Stack>
  );
}

function Outcome({ attempt }: { readonly attempt: Attempt }) {
  const text = useText(webhooksText);
  return (
    <Alert
      color={attempt.delivered ? 'green' : 'red'}
      title={attempt.delivered ? text.testGood : text.testBad}
    >
      <AttemptFacts attempt={attempt} />
    </Alert>
  );
}

/** What the receiver answered, how long it took, and what was wrong. */
export function AttemptFacts(props: { readonly attempt: Omit<Attempt, 'delivered'> }) {
  const text = useText(webhooksText);
  const shown = useCount();
  const { statusCode, durationMs, error, response } = props.attempt;
  const took = text.took(shown(durationMs));
  const answer = statusCode === undefined ? took : `${text.answer(statusCode)}, ${took}`;
  return (
    <>
      <span className="figures">{answer}</span>
      {error && <CutText size="sm">{error}</CutText>}
      {response && <CutText size="sm">{response}</CutText>}
    </>
  );
}
