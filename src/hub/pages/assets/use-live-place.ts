import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import type { Asset } from '../../../contract/asset.ts';
import { useBatches } from '../../live/use-live.ts';
import { LivePlaces } from './live-places.ts';

const places = new LivePlaces();
const nothing = () => undefined;

/** Feeds the places on this page from the stream. */
export function useLivePlaces(): void {
  const client = useQueryClient();
  useBatches(({ events, gap }) => {
    places.take(events);
    if (gap) void client.invalidateQueries({ queryKey: ['assets'] });
  });
}

export type Place = Pick<Asset, 'zoneId' | 'zoneName' | 'inZoneSince' | 'lastSeenAt'>;

/** Where an asset is: as REST told it, or as the stream told it since. */
export function useLivePlace(asset: Asset): Place {
  const { epc } = asset;
  // Stable, as a place is forgotten when its last watcher leaves.
  const watch = useCallback((watcher: () => void) => (epc ? places.watch(epc, watcher) : nothing), [epc]);
  const live = useSyncExternalStore(watch, () => (epc ? places.get(epc) : undefined));
  if (!live || live.lastSeenAt <= (asset.lastSeenAt ?? '')) return asset;
  const { zoneId, zoneName, since, lastSeenAt } = live;
  if (!since || since <= (asset.inZoneSince ?? '')) return { ...asset, lastSeenAt };
  return { ...(zoneId && { zoneId }), ...(zoneName && { zoneName }), inZoneSince: since, lastSeenAt };
}
