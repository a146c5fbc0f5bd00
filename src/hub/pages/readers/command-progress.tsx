import { Group, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { SentCommand } from '../../../contract/command.ts';
import { useText } from '../../text/language.ts';
import { failureText } from '../../text/reader-problems.ts';
import { readersText } from '../../text/readers.ts';
import { failureKind } from './command-failure.ts';

type Outcome = Pick<SentCommand, 'kind' | 'state' | 'error'>;

/** Whether a command is still on its way. */
export const isUnderWay = (command: { readonly state: SentCommand['state'] } | undefined): boolean =>
  command?.state === 'pending' || command?.state === 'published';

/** Whether a command is on its way or failed: what is done is told by the list of commands. */
export const isNews = <T extends { readonly state: SentCommand['state'] }>(
  command: T | undefined,
): command is T => isUnderWay(command) || command?.state === 'failed';

function Sign({ state }: Pick<SentCommand, 'state'>) {
  if (state === 'applied')
    return <IconCheck size={16} aria-hidden color="var(--mantine-color-green-light-color)" />;
  if (state === 'failed')
    return <IconAlertTriangle size={16} aria-hidden color="var(--mantine-color-red-light-color)" />;
  return state === 'superseded' ? null : <Loader size={14} aria-hidden />;
}

/** Where a command is on its way from here to the reader, and why it failed. */
export function CommandProgress({ command }: { readonly command: Outcome }) {
  const text = useText(readersText);
  return (
    <Stack gap={2} role="status">
      <Group gap={6} wrap="nowrap">
        <Sign state={command.state} />
        <Text size="sm">
          {text.kinds[command.kind]}: {text.states[command.state]}
        </Text>
      </Group>
      {command.state === 'failed' && command.error !== undefined && <Failure error={command.error} />}
    </Stack>
  );
}

/** Why a command failed, explained; the reader's own words where there is no explanation, or more to them. */
export function Failure({ error }: { readonly error: string }) {
  const text = useText(failureText);
  const kind = failureKind(error);
  return (
    <Text size="sm" c="dimmed">
      {text[kind]}{' '}
      {kind !== 'timeout' && (
        <span className="code anything" dir="auto">
          {error}
        </span>
      )}
    </Text>
  );
}
