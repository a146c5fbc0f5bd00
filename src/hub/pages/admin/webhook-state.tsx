import { Badge } from '@mantine/core';
import type { Webhook } from '../../../contract/webhook.ts';
import { webhooksText } from '../../text/admin-webhooks.ts';
import { useText } from '../../text/language.ts';

/** Whether it goes out, in words. */
export function WebhookState({ webhook: { enabled, paused } }: { readonly webhook: Webhook }) {
  const text = useText(webhooksText);
  const said = paused === 'gone' ? text.gone : enabled ? text.on : text.off;
  const color = paused === 'gone' ? 'red' : enabled ? 'green' : 'gray';
  return (
    <Badge
      variant="light"
      tt="none"
      color={color}
      h="auto"
      py={2}
      styles={{ label: { whiteSpace: 'normal' } }}
    >
      {said}
    </Badge>
  );
}
