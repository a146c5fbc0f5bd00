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
  /** False while it is not known whether the ports of the reader are mapped. */
  readonly isWhole: boolean;
}

/** How the first run stands, or what could not be asked. */
export interface StandingQuery {
  readonly data: SetupStanding | undefined;
  readonly error: Error | null;
  readonly refetch: () => Promise<unknown>;
}

/** `readerId` is of the address. Once it is known it stays known, whatever is asked for again: the forms in the steps are kept. */
export function useStanding(readerId: string | undefined): StandingQuery {
  const [me, organisation, zones, readers] = [useMe(), useOrganisation(), useZones(), useReaders()];
  const reader = readers.data?.find(({ id }) => id === readerId) ?? readers.data?.[0] ?? null;
  const antennas = useAntennas(reader?.id ?? null);
  const asked = [me, organisation, zones, readers];
  const failed = asked.filter(({ data, error }) => data === undefined && error !== null);
  const refetch = () => Promise.all(failed.map((query) => query.refetch()));
  const error = failed[0]?.error ?? null;
  if (!me.data || !organisation.data || !zones.data || !readers.data)
    return { data: undefined, error, refetch };
  const done = doneSteps({
    mustChangePassword: me.data.mustChangePassword === true,
    organisation: organisation.data.name,
    zones: zones.data.length,
    readers: readers.data.length,
    mappedPorts: antennas.data?.filter(({ zoneId }) => zoneId !== null).length ?? 0,
    reads: reader?.displayStatus === 'Online and Reading',
  });
  const isWhole = reader === null || !antennas.isPending;
  return { data: { done, reader, isWhole }, error: null, refetch };
}
