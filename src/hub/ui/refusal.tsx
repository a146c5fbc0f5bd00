import { Alert } from '@mantine/core';
import { commonText } from '../text/common.ts';
import { useText } from '../text/language.ts';
import { useReason } from './failed.tsx';

/** What the appliance had against a form, beside its fields; nothing when there is no `error`. */
export function Refusal({ error }: { readonly error: unknown }) {
  const text = useText(commonText);
  const reason = useReason();
  if (!error) return null;
  return (
    <Alert color="red" role="alert" title={text.failed} className="anything">
      {reason(error)}
    </Alert>
  );
}
