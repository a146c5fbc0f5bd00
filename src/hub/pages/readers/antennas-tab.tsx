import { Stack } from '@mantine/core';
import type { Reader } from '../../../contract/reader.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { AntennaForm } from './antenna-form.tsx';
import { CommandProgress } from './command-progress.tsx';
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
  useWatchedCommands(reader);
  return (
    <Stack>
      <Loaded query={antennas}>
        {(all) => <AntennaForm readerId={reader.id} antennas={all} {...(onSaved && { onSaved })} />}
      </Loaded>
      {reader.lastSettings && <CommandProgress command={{ ...reader.lastSettings, kind: 'push-config' }} />}
    </Stack>
  );
}
