import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Asset, AssetEvent } from '../../../contract/asset.ts';
import type { Floor } from '../../../contract/floor.ts';
import type { ZoneInventoryEntry } from '../../../contract/inventory.ts';
import type { AntennaReads } from '../../../contract/radio.ts';
import type { Tag } from '../../../contract/tag.ts';
import type { TagLocation } from '../../../contract/tag-location.ts';
import type { Visit } from '../../../contract/visit.ts';
import { call } from '../../api/call.ts';
import { useBatches } from '../../live/use-live.ts';
import { type Stay, staysByEvents, staysOf } from './track.ts';

const part = encodeURIComponent;

/** What is drawn of a site; asked for again and again while it `isEdited`, for others may draw too. */
export const useFloor = (siteId: string, isEdited: boolean) =>
  useQuery({
    queryKey: ['floor', siteId],
    queryFn: ({ signal }) => call<Floor>('GET', `/sites/${part(siteId)}/floor`, { signal }),
    staleTime: 60_000,
    refetchInterval: isEdited && 5000,
  });

/** The antennas there are to place. */
export const usePorts = () =>
  useQuery({
    queryKey: ['radio', 'ports'],
    queryFn: ({ signal }) => call<AntennaReads[]>('GET', '/radio/antennas?seconds=1', { signal }),
    staleTime: 60_000,
  });

/** Where a tag is now. */
export const useLocationOf = (epc: string) =>
  useQuery({
    queryKey: ['tags', epc, 'location'],
    queryFn: ({ signal }) => call<TagLocation>('GET', `/tags/${part(epc)}/location`, { signal }),
    refetchInterval: 10_000,
    enabled: epc !== '',
  });

/** Tags in a zone now. */
export const useInventory = (zoneId: string) =>
  useQuery({
    queryKey: ['inventory', zoneId],
    queryFn: ({ signal }) =>
      call<ZoneInventoryEntry[]>('GET', `/zones/${part(zoneId)}/inventory`, { signal }),
    refetchInterval: 10_000,
    enabled: zoneId !== '',
  });

const ASK_MS = 1000;

/** Has the counts, and where the tag is, asked for again when tags have moved: once a second at most. */
export function useFresh(epc: string): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useBatches(({ events, gap }) => {
    if (timer.current !== undefined || !(gap || events.some(({ type }) => type === 'tag_moved'))) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ queryKey: ['inventory'] });
      if (epc) void client.invalidateQueries({ queryKey: ['tags', epc, 'location'] });
    }, ASK_MS);
  });
}

export interface Found {
  readonly epc: string;
  /** A name somebody gave it; empty when there is none. */
  readonly label: string;
}

const FOUND_MAX = 10;

/** Tags and assets with tags in which a text occurs. */
export const useFound = (typed: string) =>
  useQuery({
    queryKey: ['floor-search', typed],
    queryFn: async ({ signal }): Promise<readonly Found[]> => {
      const query = `q=${part(typed)}&limit=${FOUND_MAX}`;
      const [assets, tags] = await Promise.all([
        call<Asset[]>('GET', `/assets?${query}`, { signal }),
        call<Tag[]>('GET', `/tags?${query}`, { signal }),
      ]);
      const found = new Map<string, Found>();
      for (const { epc, name } of assets) if (epc) found.set(epc, { epc, label: name });
      for (const { epc, label } of tags) if (!found.has(epc)) found.set(epc, { epc, label: label ?? '' });
      return [...found.values()];
    },
  });

const STAYS_MAX = 1000;

export interface Track {
  readonly stays: readonly Stay[];
  /** There may have been more before the first: only so many are answered. */
  readonly isCut: boolean;
}

/** Where a tag has been: by the timeline of its asset, else by where it was heard. Oldest first. */
export const useTrack = (epc: string) =>
  useQuery({
    queryKey: ['tags', epc, 'track'],
    queryFn: async ({ signal }): Promise<Track> => {
      const [visits, assets] = await Promise.all([
        call<Visit[]>('GET', `/tags/${part(epc)}/visits?limit=${STAYS_MAX}`, { signal }),
        call<Asset[]>('GET', `/assets?q=${part(epc)}`, { signal }),
      ]);
      const asset = assets.find((one) => one.epc === epc);
      const events = asset
        ? await call<AssetEvent[]>('GET', `/assets/${part(asset.id)}/events?limit=${STAYS_MAX}`, { signal })
        : [];
      const until = visits.reduce((last, { lastSeenAt }) => Math.max(last, Date.parse(lastSeenAt)), 0);
      const decided = staysByEvents(events, Math.max(until, Date.parse(events[0]?.occurredAt ?? '') || 0));
      return decided.length > 0
        ? { stays: decided, isCut: events.length >= STAYS_MAX }
        : { stays: staysOf(visits), isCut: visits.length >= STAYS_MAX };
    },
  });
