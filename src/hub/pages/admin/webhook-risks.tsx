import type { MadeWebhook } from '../../../contract/webhook.ts';
import { call } from '../../api/call.ts';
import { webhooksText } from '../../text/admin-webhooks.ts';
import { useText } from '../../text/language.ts';
import { AskButton } from '../../ui/ask-button.tsx';
import { useAction } from '../../ui/use-action.ts';
import { SecretOnce } from './secret-once.tsx';

/** A new signing secret, shown once. */
export function RotateSecret({ id }: { readonly id: string }) {
  const text = useText(webhooksText);
  const rotate = useAction({
    run: () => call<MadeWebhook>('POST', `/webhooks/${id}/rotate-secret`),
    changes: [['webhooks']],
  });
  if (rotate.data?.secret)
    return <SecretOnce label={text.secret} secret={rotate.data.secret} onTaken={rotate.reset} />;
  return (
    <AskButton label={text.rotate} action={rotate}>
      {text.rotateWhat}
    </AskButton>
  );
}

interface DeleteProps {
  readonly id: string;
  readonly onDeleted: () => void;
}

/** Deletes a subscription, when that is confirmed. */
export function DeleteWebhook({ id, onDeleted }: DeleteProps) {
  const text = useText(webhooksText);
  const remove = useAction({
    run: () => call('DELETE', `/webhooks/${id}`),
    changes: [['webhooks']],
    done: text.removed,
    onDone: onDeleted,
  });
  return (
    <AskButton label={text.remove} action={remove} c="red">
      {text.removeWhat}
    </AskButton>
  );
}
