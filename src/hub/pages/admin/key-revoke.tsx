import { useState } from 'react';
import type { ApiKey } from '../../../contract/api-key.ts';
import { call } from '../../api/call.ts';
import { adminText } from '../../text/admin.ts';
import { useText } from '../../text/language.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';

const NAME_MAX = 120;

/** Revokes a key, when that is confirmed. */
export function RevokeKey({ apiKey }: { readonly apiKey: ApiKey }) {
  const text = useText(adminText);
  const [isAsking, setAsking] = useState(false);
  const name = apiKey.name.slice(0, NAME_MAX);
  const revoke = useAction({
    run: () => call('DELETE', `/api-keys/${apiKey.id}`),
    changes: [['api-keys']],
    done: text.revokedDone,
  });
  return (
    <>
      <WriteButton
        size="xs"
        variant="default"
        onClick={() => setAsking(true)}
        aria-label={text.revokeOf(name)}
      >
        {text.revoke}
      </WriteButton>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={text.revoke}
        action={text.revoke}
        busy={revoke.isPending}
        onConfirm={() => revoke.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        <span className="anything">{text.revokeWhat(name)}</span>
      </Confirm>
    </>
  );
}
