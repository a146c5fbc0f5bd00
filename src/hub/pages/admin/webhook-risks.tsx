import { useState } from 'react';
import type { MadeWebhook } from '../../../contract/webhook.ts';
import { call } from '../../api/call.ts';
import { webhooksText } from '../../text/admin-webhooks.ts';
import { useText } from '../../text/language.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { SecretOnce } from './secret-once.tsx';

/** A new signing secret, shown once. */
export function RotateSecret({ id }: { readonly id: string }) {
  const text = useText(webhooksText);
  const [isAsking, setAsking] = useState(false);
  const rotate = useAction({
    run: () => call<MadeWebhook>('POST', `/webhooks/${id}/rotate-secret`),
    changes: [['webhooks']],
  });
  if (rotate.data?.secret)
    return <SecretOnce label={text.secret} secret={rotate.data.secret} onTaken={rotate.reset} />;
  return (
    <>
      <WriteButton variant="default" onClick={() => setAsking(true)}>
        {text.rotate}
      </WriteButton>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={text.rotate}
        action={text.rotate}
        busy={rotate.isPending}
        onConfirm={() => rotate.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        {text.rotateWhat}
      </Confirm>
    </>
  );
}

interface DeleteProps {
  readonly id: string;
  readonly onDeleted: () => void;
}

/** Deletes a subscription, when that is confirmed. */
export function DeleteWebhook({ id, onDeleted }: DeleteProps) {
  const text = useText(webhooksText);
  const [isAsking, setAsking] = useState(false);
  const remove = useAction({
    run: () => call('DELETE', `/webhooks/${id}`),
    changes: [['webhooks']],
    done: text.removed,
    onDone: onDeleted,
  });
  return (
    <>
      <WriteButton variant="default" c="red" onClick={() => setAsking(true)}>
        {text.remove}
      </WriteButton>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={text.remove}
        action={text.remove}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        {text.removeWhat}
      </Confirm>
    </>
  );
}
