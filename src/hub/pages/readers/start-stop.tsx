import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import type { Reader } from '../../../contract/reader.ts';
import { call } from '../../api/call.ts';
import { useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { isUnderWay } from './command-progress.tsx';
import { useWatchedReader } from './use-watched-reader.ts';

const WATCH_MS = 800;

/** Asks for the readers again and again while a command to this one is on its way. */
export function useWatchedCommands({ lastCommand, lastSettings }: Reader): void {
  useWatchedReader(isUnderWay(lastCommand) || isUnderWay(lastSettings), WATCH_MS);
}

/** Starts or stops a reader's radio: whichever makes sense now. */
export function StartStop({ reader }: { readonly reader: Reader }) {
  const text = useText(readersText);
  const client = useQueryClient();
  useWatchedCommands(reader);
  const action = useAction({
    run: (enabled: boolean) => call<Reader>('PATCH', `/readers/${reader.id}`, { body: { enabled } }),
    onDone: (changed) =>
      client.setQueryData<Reader[]>(['readers'], (all) =>
        all?.map((one) => (one.id === changed.id ? changed : one)),
      ),
  });
  // One that should run and does not can be started again.
  const isStart = !reader.enabled || reader.offlineReason === 'radio-idle' || hasFailedToStart(reader);
  const Icon = isStart ? IconPlayerPlay : IconPlayerStop;
  return (
    <WriteButton
      variant="default"
      size="sm"
      loading={action.isPending}
      leftSection={<Icon size={16} aria-hidden />}
      aria-label={isStart ? text.startOf(reader.name) : text.stopOf(reader.name)}
      onClick={() => action.mutate(isStart)}
    >
      {isStart ? text.start : text.stop}
    </WriteButton>
  );
}

function hasFailedToStart({ lastCommand, displayStatus }: Reader): boolean {
  return (
    lastCommand?.kind === 'start' && lastCommand.state === 'failed' && displayStatus === 'Online and Idle'
  );
}
