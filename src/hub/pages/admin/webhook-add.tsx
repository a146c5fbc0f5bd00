import type { MadeWebhook } from '../../../contract/webhook.ts';
import { call } from '../../api/call.ts';
import { webhooksText } from '../../text/admin-webhooks.ts';
import { useText } from '../../text/language.ts';
import { useAction } from '../../ui/use-action.ts';
import { SecretOnce } from './secret-once.tsx';
import { bodyOf, type Draft, emptyDraft } from './webhook-draft.ts';
import { WebhookForm } from './webhook-form.tsx';

/** A new subscription; a webhook's secret is shown before its page opens. `onDone` gets its id. */
export function AddWebhook({ onDone }: { readonly onDone: (id: string) => void }) {
  const text = useText(webhooksText);
  const add = useAction({
    run: (draft: Draft) => call<MadeWebhook>('POST', '/webhooks', { body: bodyOf(draft) }),
    changes: [['webhooks']],
    done: text.made,
    onDone: ({ id, secret }) => secret === null && onDone(id),
    quiet: true,
  });
  const made = add.data;
  if (made?.secret)
    return <SecretOnce label={text.secret} secret={made.secret} onTaken={() => onDone(made.id)} />;
  return (
    <WebhookForm
      first={emptyDraft}
      isNew
      action={text.add}
      busy={add.isPending}
      error={add.error}
      onSend={add.mutate}
    />
  );
}
