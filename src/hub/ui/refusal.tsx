import { Alert } from '@mantine/core';
import { commonText } from '../text/common.ts';
import { useText } from '../text/language.ts';
import { useReason } from './failed.tsx';

interface Props {
  readonly error: unknown;
  /** What is said of it, where a page knows better than the appliance's own words. */
  readonly words?: (error: unknown) => string;
}

/** What the appliance had against a form, beside its fields; nothing when there is no `error`. */
export function Refusal({ error, words }: Props) {
  const text = useText(commonText);
  const reason = useReason();
  if (!error) return null;
  return (
    <Alert color="red" role="alert" title={text.failed} className="anything">
      {(words ?? reason)(error)}
    </Alert>
  );
}
