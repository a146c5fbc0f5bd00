import { useQuery } from '@tanstack/react-query';
import type { Antenna } from '../../../contract/antenna.ts';
import type { SentCommand } from '../../../contract/command.ts';
import type { AntennaReads } from '../../../contract/radio.ts';
import type { ReaderActivity } from '../../../contract/reader-activity.ts';
import type { ReaderDiagnostics } from '../../../contract/reader-diagnostics.ts';
import { call } from '../../api/call.ts';

// Under the key of the readers, so that whatever changes them makes all of this be asked for again.

/** The ports of a reader; nothing while there is none. `isEdited`: asked for again and again, for others may edit them too. */
export const useAntennas = (readerId: string | null, isEdited = false) =>
  useQuery({
    enabled: readerId !== null,
    refetchInterval: isEdited && 5000,
    queryKey: ['readers', readerId, 'antennas'],
    queryFn: ({ signal }) => call<Antenna[]>('GET', `/readers/${readerId}/antennas`, { signal }),
  });

/** `isOn` false: not asked for, because nobody sees it. */
export const useDiagnostics = (readerId: string, isOn = true) =>
  useQuery({
    queryKey: ['readers', readerId, 'diagnostics'],
    queryFn: ({ signal }) => call<ReaderDiagnostics>('GET', `/readers/${readerId}/diagnostics`, { signal }),
    enabled: isOn,
    staleTime: 10_000,
    refetchInterval: 30_000,
  });

export const useCommands = (readerId: string) =>
  useQuery({
    queryKey: ['readers', readerId, 'commands'],
    queryFn: ({ signal }) => call<SentCommand[]>('GET', `/readers/${readerId}/commands`, { signal }),
    refetchInterval: 5000,
  });

/** What a reader did in the last hour, minute by minute. */
export const useActivity = (readerId: string) =>
  useQuery({
    queryKey: ['readers', readerId, 'activity'],
    queryFn: ({ signal }) =>
      call<ReaderActivity>('GET', `/readers/${readerId}/activity?minutes=60`, { signal }),
    refetchInterval: 30_000,
  });

const RATE_SECONDS = 5;

/** Reads per second of every antenna port over the last seconds. */
const useRates = () =>
  useQuery({
    queryKey: ['radio', 'antennas', RATE_SECONDS],
    queryFn: ({ signal }) =>
      call<AntennaReads[]>('GET', `/radio/antennas?seconds=${RATE_SECONDS}`, { signal }),
    refetchInterval: 2000,
  });

/** A reader's reads per second now; null while not known. */
export function useRate(readerId: string): number | null {
  const own = useRates().data?.filter((one) => one.readerId === readerId);
  return own ? own.reduce((sum, { readsPerSecond }) => sum + readsPerSecond, 0) : null;
}
