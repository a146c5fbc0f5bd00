import { Alert } from '@mantine/core';
import { useReason } from '../../ui/failed.tsx';

/** What the appliance had against a form, beside its fields; nothing when there is no `error`. */
export function Refusal({ error }: { readonly error: unknown }) {
  const reason = useReason();
  if (!error) return null;
  return (
    <Alert color="red" role="alert" className="anything">
      {reason(error)}
    </Alert>
  );
}
