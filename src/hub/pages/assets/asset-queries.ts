import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Asset, AssetEvent } from '../../../contract/asset.ts';
import { call, callPiece } from '../../api/call.ts';
import { assetsPath, type Filter, type View } from './filter.ts';

const PIECE = 100;
const HISTORY_PIECE = 30;
const REFRESH_MS = 15_000;
/** Counts are told up to this; above it is "99+". */
export const COUNT_MAX = 99;

/** What an action on an asset may change the answer of. */
export const assetChanges = [['assets'], ['tags'], ['inventory'], ['alerts']] as const;

/** The assets that a filter lets through, in pieces. What other people do is seen within seconds. */
export const useAssets = (filter: Filter) =>
  useInfiniteQuery({
    queryKey: ['assets', 'list', filter.view, filter.q.trim()],
    queryFn: ({ pageParam, signal }) => callPiece<Asset>(pageParam, signal),
    initialPageParam: assetsPath(filter, PIECE),
    getNextPageParam: (piece) => piece.next,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

/** How many assets a view has, up to one more than `COUNT_MAX`. */
export const useViewCount = (view: View) =>
  useQuery({
    queryKey: ['assets', 'count', view],
    queryFn: ({ signal }) => callPiece<Asset>(assetsPath({ view, q: '' }, COUNT_MAX + 1), signal),
    select: ({ items }) => items.length,
    refetchInterval: REFRESH_MS,
  });

/** One asset, retired ones too. */
export const oneAsset = (id: string) => ({
  queryKey: ['assets', 'one', id],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    call<Asset>('GET', `/assets/${encodeURIComponent(id)}`, { signal }),
});

export const useAsset = (id: string) => useQuery({ ...oneAsset(id), refetchInterval: REFRESH_MS });

/** The history of an asset, newest first, in pieces. */
export const useHistory = (id: string) =>
  useInfiniteQuery({
    queryKey: ['assets', 'events', id],
    queryFn: ({ pageParam, signal }) => callPiece<AssetEvent>(pageParam, signal),
    initialPageParam: `/assets/${encodeURIComponent(id)}/events?limit=${HISTORY_PIECE}`,
    getNextPageParam: (piece) => piece.next,
    refetchInterval: REFRESH_MS,
  });

/** Assets to take suggestions from: categories, or people who have something now. */
export const useSample = (view: 'all' | 'checked_out') =>
  useQuery({
    queryKey: ['assets', 'sample', view],
    queryFn: ({ signal }) => call<Asset[]>('GET', assetsPath({ view, q: '' }, 500), { signal }),
    staleTime: 60_000,
  });
