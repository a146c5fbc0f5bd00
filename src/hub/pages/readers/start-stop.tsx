import { Group } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef } from 'react';
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

/** Starts or stops a reader's radio: whichever makes sense now, and what failed once more. */
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
  const failed = failedKind(reader);
  const shared = { variant: 'default', size: 'sm', loading: action.isPending } as const;
  const place = useFocusAfter(action.isPending);
  return (
    <Group ref={place} gap="xs" justify="flex-end">
      {failed !== null && (failed === 'start') !== isStart && (
        <WriteButton
          {...shared}
          leftSection={<IconRefresh size={16} aria-hidden />}
          aria-label={text.againOf[failed](reader.name)}
          onClick={() => action.mutate(failed === 'start')}
        >
          {text.again[failed]}
        </WriteButton>
      )}
      <WriteButton
        {...shared}
        leftSection={<Icon size={16} aria-hidden />}
        aria-label={isStart ? text.startOf(reader.name) : text.stopOf(reader.name)}
        onClick={() => action.mutate(isStart)}
      >
        {isStart ? text.start : text.stop}
      </WriteButton>
    </Group>
  );
}

/** Gives the last button of a group the focus back that one of them lost by being switched off while it worked. */
function useFocusAfter(isBusy: boolean): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(isBusy);
  useEffect(() => {
    const isOver = before.current && !isBusy;
    before.current = isBusy;
    if (isOver && document.activeElement === document.body)
      place.current?.querySelector<HTMLElement>('button:last-of-type')?.focus();
  }, [isBusy]);
  return place;
}

/** What was asked of the reader last, if it failed. */
function failedKind({ lastCommand }: Reader): 'start' | 'stop' | null {
  return lastCommand?.state === 'failed' ? lastCommand.kind : null;
}

function hasFailedToStart({ lastCommand, displayStatus }: Reader): boolean {
  return (
    lastCommand?.kind === 'start' && lastCommand.state === 'failed' && displayStatus === 'Online and Idle'
  );
}
