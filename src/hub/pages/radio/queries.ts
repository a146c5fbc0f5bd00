import { useQuery } from '@tanstack/react-query';
import type { AntennaReads, CrossReads } from '../../../contract/radio.ts';
import { call } from '../../api/call.ts';

const ANTENNA_SECONDS = 60;
const CROSS_SECONDS = 300;

/** What every antenna heard in the last minute. */
export const useAntennas = () =>
  useQuery({
    queryKey: ['radio', 'antennas'],
    queryFn: ({ signal }) =>
      call<AntennaReads[]>('GET', `/radio/antennas?seconds=${ANTENNA_SECONDS}`, { signal }),
    refetchInterval: 3000,
  });

/** Tags heard in more than one zone in the last five minutes. */
export const useCrossReads = () =>
  useQuery({
    queryKey: ['radio', 'cross-reads'],
    queryFn: ({ signal }) =>
      call<CrossReads>('GET', `/radio/cross-reads?seconds=${CROSS_SECONDS}`, { signal }),
    refetchInterval: 10_000,
  });
