import type { ApiKey } from '../../../contract/api-key.ts';
import { call } from '../../api/call.ts';
import { adminText } from '../../text/admin.ts';
import { useText } from '../../text/language.ts';
import { AskButton } from '../../ui/ask-button.tsx';
import { useAction } from '../../ui/use-action.ts';

const NAME_MAX = 120;

/** Revokes a key, when that is confirmed. */
export function RevokeKey({ apiKey }: { readonly apiKey: ApiKey }) {
  const text = useText(adminText);
  const name = apiKey.name.slice(0, NAME_MAX);
  const revoke = useAction({
    run: () => call('DELETE', `/api-keys/${apiKey.id}`),
    changes: [['api-keys']],
    done: text.revokedDone,
  });
  return (
    <AskButton label={text.revoke} action={revoke} size="xs" aria-label={text.revokeOf(name)}>
      <span className="anything">{text.revokeWhat(name)}</span>
    </AskButton>
  );
}
