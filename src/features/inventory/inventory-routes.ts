import { z } from 'zod';
import {
  type InventorySummaryEntry,
  inventorySummaryExample,
  inventorySummarySchema,
  type ZoneInventoryEntry,
  zoneInventoryExample,
  zoneInventorySchema,
} from '../../contract/inventory.ts';
import { linkHeader, nextLink, pageQuery } from '../../contract/paging.ts';
import { limits } from '../../domain/limits.ts';
import { refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import { byName } from '../../lib/by-name.ts';
import { formatInstant } from '../../lib/instant.ts';
import { ofOrg } from '../../store/of-org.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type { TagStates } from '../../store/tag-states.ts';
import { countPresent, listPresent } from './presence.ts';

/** What a tag is linked to: `label` is what the inventory calls it. */
export interface AssetLink {
  readonly label: string | null;
}

export interface InventoryRoutesOptions {
  readonly store: Store;
  readonly states: TagStates;
  /** The asset link of a tag, or null. */
  readonly linkOf: (tagNo: number) => AssetLink | null;
  /** The numbers of an organisation's tags that are linked to an asset. */
  readonly linkedTags: (orgId: string) => Iterable<number>;
  /** Epoch ms. */
  readonly now: () => number;
  /** How long a tag counts as present after it was last seen in its zone, ms. */
  readonly presenceMs: number;
}

const tag = 'Zones and inventory';

/** GET /inventory/summary, GET /zones/{id}/inventory. */
export function inventoryRoutes(options: InventoryRoutesOptions): readonly Route[] {
  return [summaryRoute(options), zoneRoute(options)];
}

function summaryRoute(options: InventoryRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/inventory/summary',
    operationId: 'getInventorySummary',
    summary: 'How many tags are present in each zone',
    description: 'Every zone is listed, sorted by name, empty ones too.',
    tag,
    access: 'caller',
    responses: {
      200: {
        description: 'One entry for each zone',
        schema: z.array(inventorySummarySchema),
        example: [inventorySummaryExample],
      },
    },
    handle: ({ caller }) => ({ status: 200, body: summaryOf(options, caller.orgId) }),
  });
}

function summaryOf(options: InventoryRoutesOptions, orgId: string): readonly InventorySummaryEntry[] {
  const { store, states, linkedTags, now, presenceMs } = options;
  const zones = ofOrg(store, tables.zones, orgId).toSorted(byName);
  const counts = countPresent(states, {
    zoneNos: zones.map(({ no }) => no),
    since: now() - presenceMs,
    linkedTags: linkedTags(orgId),
  });
  return zones.map(({ id, name, kind }, index) => {
    const { total, correlated } = counts[index] ?? { total: 0, correlated: 0 };
    return { zoneId: id, zoneName: name, kind, total, correlated };
  });
}

function zoneRoute(options: InventoryRoutesOptions): Route {
  const { store, states, now, presenceMs } = options;
  return route({
    method: 'GET',
    path: '/zones/{id}/inventory',
    operationId: 'getZoneInventory',
    summary: 'The tags present in a zone now',
    description: `Up to ${limits.zoneInventoryPerAnswer}, latest arrival first.`,
    tag,
    access: 'caller',
    params: z.object({ id: uuidParam('zone') }),
    query: z.object(pageQuery(limits.zoneInventoryPerAnswer)),
    responses: {
      200: {
        description: 'Tags present',
        schema: z.array(zoneInventorySchema),
        headers: linkHeader,
        example: [zoneInventoryExample],
      },
    },
    handle: ({ caller, params: { id }, query, raw }) => {
      const zone = store.get(tables.zones, [caller.orgId, id]);
      if (!zone) throw refuse('not-found', 'There is no zone with this id.');
      const { limit = limits.zoneInventoryPerAnswer, cursor: after } = query;
      const since = now() - presenceMs;
      const present = listPresent(states, { zoneNo: zone.no, since, limit: limit + 1, after });
      return {
        status: 200,
        body: present.slice(0, limit).flatMap(({ no }) => entryOf(no, options) ?? []),
        headers: nextLink(raw.req.url ?? '', present, limit),
      };
    },
  });
}

function entryOf(tagNo: number, options: InventoryRoutesOptions): ZoneInventoryEntry | null {
  const { store, states, linkOf } = options;
  const record = store.get(tables.tags, tagNo);
  if (!record) return null;
  const { zoneSince, zoneSeenAt } = states.get(tagNo);
  const link = linkOf(tagNo);
  return {
    tagId: record.id,
    epc: record.epc,
    label: link?.label ?? null,
    targetType: link ? 'asset' : null,
    since: formatInstant(zoneSince),
    lastSeenAt: formatInstant(zoneSeenAt),
  };
}
