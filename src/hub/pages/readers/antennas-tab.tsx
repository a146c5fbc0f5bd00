import { Stack } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { Antenna } from '../../../contract/antenna.ts';
import type { Reader } from '../../../contract/reader.ts';
import { call } from '../../api/call.ts';
import { useText } from '../../text/language.ts';
import { readersText } from '../../text/readers.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { useAction } from '../../ui/use-action.ts';
import { WriteButton } from '../../ui/write-button.tsx';
import { isEdited } from './antenna-draft.ts';
import { AntennaForm } from './antenna-form.tsx';
import { failureKind } from './command-failure.ts';
import { CommandProgress, isNews } from './command-progress.tsx';
import { useDraft } from './drafts.ts';
import { useAntennas } from './queries.ts';
import { useWatchedCommands } from './start-stop.tsx';

interface Props {
  readonly reader: Reader;
  /** Told once the settings are saved. */
  readonly onSaved?: () => void;
}

/** All ports of a reader in one form, and what became of the settings sent last. */
export function AntennasTab({ reader, onSaved }: Props) {
  const antennas = useAntennas(reader.id, true);
  const hasDraft = isEdited(useDraft(reader.id));
  // That older settings are done says nothing of those that are edited.
  const shown = !hasDraft || isNews(reader.lastSettings) ? reader.lastSettings : undefined;
  useWatchedCommands(reader);
  return (
    <Stack>
      <Loaded query={antennas}>
        {(all) => <AntennaForm readerId={reader.id} antennas={all} {...(onSaved && { onSaved })} />}
      </Loaded>
      {shown && <CommandProgress command={{ ...shown, kind: 'push-config' }} />}
      {isToSendAgain(reader) && <SendAgain readerId={reader.id} />}
    </Stack>
  );
}

/** The settings did not arrive, or are gone from the reader. */
function isToSendAgain({ lastSettings, lastCommand }: Reader): boolean {
  if (lastSettings?.state === 'failed') return true;
  return lastCommand?.state === 'failed' && failureKind(lastCommand.error ?? '') === 'preset';
}

/** Sends the saved settings once more: there may be nothing left to edit. */
function SendAgain({ readerId }: { readonly readerId: string }) {
  const text = useText(readersText);
  const again = useAction({
    // Without a change the appliance sends what was refused, or not answered, once more.
    run: () => call<Antenna[]>('PUT', `/readers/${readerId}/antennas`, { body: [] }),
    changes: [['readers']],
    done: text.sentAgain,
  });
  return (
    <div>
      <WriteButton
        variant="default"
        size="compact-sm"
        leftSection={<IconRefresh size={14} aria-hidden />}
        loading={again.isPending}
        onClick={() => again.mutate()}
      >
        {text.sendAgain}
      </WriteButton>
    </div>
  );
}
