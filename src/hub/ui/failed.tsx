import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { CallError } from '../api/problem.ts';
import { commonText } from '../text/common.ts';
import { useText } from '../text/language.ts';

/** What went wrong as a sentence: what the appliance said, or that it did not answer. */
export function useReason(): (error: unknown) => string {
  const text = useText(commonText);
  return (error) => {
    if (error instanceof CallError)
      return error.status === 0 ? text.unreachable : [error.message, ...error.errors.map(lineOf)].join(' ');
    return error instanceof Error ? error.message : String(error);
  };
}

const lineOf = ({ path, message }: CallError['errors'][number]) => `${path}: ${message}.`;

interface Props {
  readonly error: unknown;
  readonly retry?: (() => void) | undefined;
}

/** In place of what could not be loaded. */
export function Failed({ error, retry }: Props) {
  const text = useText(commonText);
  const reason = useReason();
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={text.failed} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" className="anything">
          {reason(error)}
        </Text>
        {retry && (
          <Button size="compact-sm" variant="default" onClick={retry}>
            {text.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
