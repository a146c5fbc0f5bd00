import type { Reader } from '../../../contract/reader.ts';
import { useMe, useReaders, useZones } from '../../api/queries.ts';
import { useAntennas } from '../readers/queries.ts';
import { useOrganisation } from './queries.ts';
import { doneSteps, type Step } from './steps.ts';

/** What the appliance says of the first run. */
export interface SetupStanding {
  readonly done: Readonly<Record<Step, boolean>>;
  /** The reader in question: the one of the address, else the first. */
  readonly reader: Reader | null;
}

/** Null while it is not known. `readerId` is of the address. */
export function useStanding(readerId: string | undefined): SetupStanding | null {
  const me = useMe().data;
  const organisation = useOrganisation().data;
  const zones = useZones().data;
  const readers = useReaders().data;
  const reader = readers?.find(({ id }) => id === readerId) ?? readers?.[0] ?? null;
  const antennas = useAntennas(reader?.id ?? null).data;
  if (!me || !organisation || !zones || !readers || (reader && !antennas)) return null;
  const done = doneSteps({
    mustChangePassword: me.mustChangePassword === true,
    organisation: organisation.name,
    zones: zones.length,
    readers: readers.length,
    mappedPorts: antennas?.filter(({ zoneId }) => zoneId !== null).length ?? 0,
    reads: reader?.displayStatus === 'Online and Reading',
  });
  return { done, reader };
}
