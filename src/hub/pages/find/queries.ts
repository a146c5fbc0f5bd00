import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Asset } from '../../../contract/asset.ts';
import type { Tag } from '../../../contract/tag.ts';
import type { TagLocation } from '../../../contract/tag-location.ts';
import type { Visit } from '../../../contract/visit.ts';
import { call, callPiece } from '../../api/call.ts';
import { type Result, resultsOf } from './results.ts';

const TAGS_MAX = 50;
const ASSETS_MAX = 50;
const REFRESH_MS = 30_000;
const CARD_MS = 5000;
const VISITS_MAX = 200;

/** What was found for `q`. */
export interface Found {
  readonly q: string;
  readonly results: readonly Result[];
  /** There is more than was asked for. */
  readonly isCut: boolean;
}

async function find(q: string, signal: AbortSignal): Promise<Found> {
  const asked = encodeURIComponent(q);
  const [tags, assets] = await Promise.all([
    callPiece<Tag>(`/tags?q=${asked}&limit=${TAGS_MAX}`, signal),
    callPiece<Asset>(`/assets?q=${asked}&limit=${ASSETS_MAX}`, signal),
  ]);
  const isCut = tags.next !== null || assets.next !== null;
  return { q, results: resultsOf(q, tags.items, assets.items), isCut };
}

/** Everything that fits `q`; nothing is asked while it is empty. What was found before stays until there is an answer. */
export const useFound = (q: string) =>
  useQuery({
    queryKey: ['find', q],
    queryFn: ({ signal }) => find(q, signal),
    enabled: q !== '',
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

/** Where a tag is; asked again and again, since a tag that leaves says nothing. */
export const useLocationOf = (epc: string) =>
  useQuery({
    queryKey: ['tags', epc, 'location'],
    queryFn: ({ signal }) => call<TagLocation>('GET', `/tags/${epc}/location`, { signal }),
    refetchInterval: CARD_MS,
  });

/** Where a tag was, newest first. */
export const useVisits = (epc: string) =>
  useQuery({
    queryKey: ['tags', epc, 'visits'],
    queryFn: ({ signal }) => call<Visit[]>('GET', `/tags/${epc}/visits?limit=${VISITS_MAX}`, { signal }),
    refetchInterval: REFRESH_MS,
  });

/** An asset by its id. */
export const useAsset = (id: string) =>
  useQuery({
    queryKey: ['assets', id],
    queryFn: ({ signal }) => call<Asset>('GET', `/assets/${id}`, { signal }),
    refetchInterval: REFRESH_MS,
    enabled: id !== '',
  });
