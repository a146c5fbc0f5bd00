import { useQuery } from '@tanstack/react-query';
import type { Asset } from '../../../contract/asset.ts';
import type { EpcReadingAnswer } from '../../../contract/epc-reading.ts';
import type { HistoryEntry, TagData } from '../../../contract/tag-data.ts';
import type { TagLocation } from '../../../contract/tag-location.ts';
import type { Visit } from '../../../contract/visit.ts';
import { call } from '../../api/call.ts';
import { CallError } from '../../api/problem.ts';

const LIVE_MS = 5000;
const TRAIL_MS = 15_000;
/** Null for what there is not: a tag that was never heard of. */
const orNull = (error: unknown): null => {
  if (error instanceof CallError && error.status === 404) return null;
  throw error;
};

export const useTagData = (epc: string) =>
  useQuery({
    queryKey: ['tag', epc, 'data'],
    queryFn: ({ signal }) => call<TagData>('GET', `/tags/${epc}/data`, { signal }),
  });

/** Where the tag is, and what speaks for it; null for a tag that is not known. Asked for again while it is looked at. */
export const useTagLocation = (epc: string) =>
  useQuery({
    queryKey: ['tag', epc, 'location'],
    queryFn: ({ signal }) => call<TagLocation>('GET', `/tags/${epc}/location`, { signal }).catch(orNull),
    refetchInterval: LIVE_MS,
  });

export const useTagVisits = (epc: string) =>
  useQuery({
    queryKey: ['tag', epc, 'visits'],
    queryFn: ({ signal }) => call<Visit[]>('GET', `/tags/${epc}/visits?limit=200`, { signal }).catch(orNull),
    refetchInterval: TRAIL_MS,
  });

export const useTagHistory = (epc: string) =>
  useQuery({
    queryKey: ['tag', epc, 'history'],
    queryFn: ({ signal }) => call<HistoryEntry[]>('GET', `/tags/${epc}/history`, { signal }).catch(orNull),
  });

/** What the EPC itself says; null where the appliance cannot tell. */
export const useEpcReading = (epc: string) =>
  useQuery({
    queryKey: ['epcs', epc],
    queryFn: ({ signal }) => call<EpcReadingAnswer>('GET', `/epcs/${epc}`, { signal }).catch(orNull),
    staleTime: Number.POSITIVE_INFINITY,
  });

async function linkedAsset(epc: string, signal: AbortSignal): Promise<Asset | null> {
  const found = await call<Asset[]>('GET', `/assets?q=${epc}`, { signal });
  return found.find((asset) => asset.epc === epc) ?? null;
}

/** The asset the tag is linked to; null: none. */
export const useLinkedAsset = (epc: string) =>
  useQuery({ queryKey: ['tag', epc, 'asset'], queryFn: ({ signal }) => linkedAsset(epc, signal) });
