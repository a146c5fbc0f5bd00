import { useQuery } from '@tanstack/react-query';
import type { Asset } from '../../../contract/asset.ts';
import type { ZoneInventoryEntry } from '../../../contract/inventory.ts';
import { call, callPiece } from '../../api/call.ts';
import { absentOf } from './absent.ts';

/** Counts of every zone, one a minute; null where there was no counting. */
interface InventoryHistory {
  readonly at: readonly string[];
  readonly zones: readonly {
    readonly zoneId: string;
    readonly zoneName: string;
    readonly counts: readonly (number | null)[];
  }[];
}

const MINUTE_MS = 60_000;
const ZONE_MS = 10_000;

/** The last hour of every zone, by its id; empty while it is not known. */
export const useHistory = () =>
  useQuery({
    queryKey: ['inventory', 'history', 60],
    queryFn: ({ signal }) => call<InventoryHistory>('GET', '/inventory/history?minutes=60', { signal }),
    select: ({ zones }) => new Map(zones.map(({ zoneId, counts }) => [zoneId, counts])),
    refetchInterval: MINUTE_MS,
    staleTime: MINUTE_MS,
  });

/** Assets that are missing, and those kept for longer than was said. An asset that is both is missing. */
export const useAbsent = () =>
  useQuery({
    queryKey: ['assets', 'absent'],
    queryFn: async ({ signal }) => {
      const [missing, overdue] = await Promise.all([
        call<Asset[]>('GET', '/assets?status=missing', { signal }),
        call<Asset[]>('GET', '/assets?overdue=true', { signal }),
      ]);
      return absentOf([...missing, ...overdue], Date.now());
    },
    refetchInterval: MINUTE_MS / 2,
  });

/** The tags in a zone, latest arrival first, as many as one answer has; `isCut` when there are more. */
export const useZoneInventory = (zoneId: string) =>
  useQuery({
    queryKey: ['zones', zoneId, 'inventory'],
    queryFn: async ({ signal }) => {
      const { items, next } = await callPiece<ZoneInventoryEntry>(`/zones/${zoneId}/inventory`, signal);
      return { items, isCut: next !== null };
    },
    refetchInterval: ZONE_MS,
  });
