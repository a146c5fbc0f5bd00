import { Group, Stack, Tabs, Text } from '@mantine/core';
import { useSearchParams } from 'wouter';
import type { Webhook } from '../../../contract/webhook.ts';
import { call } from '../../api/call.ts';
import { webhooksText } from '../../text/admin-webhooks.ts';
import { commonText } from '../../text/common.ts';
import { useText } from '../../text/language.ts';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { DeadLetters } from './webhook-dead-letters.tsx';
import { Deliveries } from './webhook-deliveries.tsx';
import { bodyOf, type Draft, draftOf } from './webhook-draft.ts';
import { WebhookForm } from './webhook-form.tsx';
import { DeleteWebhook, RotateSecret } from './webhook-risks.tsx';
import { WebhookState } from './webhook-state.tsx';
import { TestWebhook } from './webhook-test.tsx';

interface Props {
  readonly webhook: Webhook;
  readonly onDeleted: () => void;
}

/** One subscription: how it stands, a test, what went out, its settings. */
export function WebhookDetail({ webhook, onDeleted }: Props) {
  const text = useText(webhooksText);
  const [search, setSearch] = useSearchParams();
  return (
    <Stack>
      <Group gap="sm">
        <WebhookState webhook={webhook} />
        <Text size="sm" c="dimmed" className="figures">
          {`${text.waiting}: ${webhook.waiting}`}
        </Text>
      </Group>
      <TestWebhook webhook={webhook} extra={<PauseButton webhook={webhook} />} />
      <Tabs
        value={search.get('tab') ?? 'deliveries'}
        onChange={(tab) => setSearch({ tab: tab ?? 'deliveries' }, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List aria-label={text.webhook}>
          <Tabs.Tab value="deliveries">{text.deliveries}</Tabs.Tab>
          <Tabs.Tab value="dead">{text.dead}</Tabs.Tab>
          <Tabs.Tab value="settings">{text.settings}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="deliveries" pt="md">
          <Deliveries id={webhook.id} />
        </Tabs.Panel>
        <Tabs.Panel value="dead" pt="md">
          <DeadLetters id={webhook.id} />
        </Tabs.Panel>
        <Tabs.Panel value="settings" pt="md">
          <WebhookSettings webhook={webhook} onDeleted={onDeleted} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function PauseButton({ webhook: { id, enabled } }: Pick<Props, 'webhook'>) {
  const text = useText(webhooksText);
  const turn = useAction({
    run: () => call('PATCH', `/webhooks/${id}`, { body: { enabled: !enabled } }),
    changes: [['webhooks']],
    done: enabled ? text.paused : text.resumed,
  });
  return (
    <WriteButton variant="default" loading={turn.isPending} onClick={() => turn.mutate()}>
      {enabled ? text.pause : text.resume}
    </WriteButton>
  );
}

function WebhookSettings({ webhook, onDeleted }: Props) {
  const text = useText(webhooksText);
  const common = useText(commonText);
  const save = useAction({
    run: (draft: Draft) => call('PATCH', `/webhooks/${webhook.id}`, { body: bodyOf(draft) }),
    changes: [['webhooks']],
    done: text.saved,
    quiet: true,
  });
  return (
    <Stack gap="xl">
      <WebhookForm
        first={draftOf(webhook)}
        isNew={false}
        action={common.save}
        busy={save.isPending}
        error={save.error}
        onSend={save.mutate}
      />
      <Group>
        {webhook.url !== null && <RotateSecret id={webhook.id} />}
        <DeleteWebhook id={webhook.id} onDeleted={onDeleted} />
      </Group>
    </Stack>
  );
}
