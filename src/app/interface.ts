import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Broker } from '../broker/types.ts';
import type { Config } from '../config/options.ts';
import { authRoutes } from '../features/auth/auth-routes.ts';
import { createAuthenticator } from '../features/auth/authenticator.ts';
import { eventRoutes } from '../features/events/event-routes.ts';
import { inventoryRoutes } from '../features/inventory/inventory-routes.ts';
import { antennaRoutes } from '../features/readers/antenna-routes.ts';
import { deviceRoutes } from '../features/readers/device-routes.ts';
import { readerRoutes } from '../features/readers/reader-routes.ts';
import type { TagData } from '../features/tags/match-tags.ts';
import { tagRoutes } from '../features/tags/tag-routes.ts';
import { zoneRoutes } from '../features/zones/zone-routes.ts';
import type { Route } from '../http/route.ts';
import { createHttp } from '../http/server.ts';
import type { LiveBus } from '../live/bus.ts';
import type { Log } from '../log/log.ts';
import type { DiskGuard } from '../store/disk-guard.ts';
import type { Store } from '../store/store.ts';
import { createMetrics } from './metrics.ts';
import type { Pipeline } from './pipeline.ts';
import { version } from './version.ts';

export interface InterfaceOptions {
  readonly config: Config;
  readonly store: Store;
  readonly disk: DiskGuard;
  readonly bus: LiveBus;
  readonly now: () => number;
  readonly log: Log;
  readonly pipeline: Pipeline;
  readonly broker: Broker;
  readonly checkResponses?: boolean | undefined;
}

/** REST, stream, documentation and probes as one request listener. */
export interface Interface {
  readonly handler: RequestListener;
  /** Ends the streams; answers from now on close their connections. */
  close(): Promise<void>;
}

/** Puts the features' routes together with what they need of the house. */
export function createInterface(options: InterfaceOptions): Interface {
  const { bus, disk, pipeline, log } = options;
  const metrics = createMetrics(options);
  const authenticator = createAuthenticator(options);
  const http = createHttp({
    routes: routesOf(options),
    authenticate: (credentials) => authenticator.authenticate(credentials),
    probes: { ready: () => readiness(disk, pipeline) },
    metrics: async () => ({ contentType: metrics.contentType, body: await metrics.metrics() }),
    info: {
      title: 'Tagkeep',
      version,
      description: 'RFID tag, reader and asset tracking on your own premises.',
    },
    log,
    beforeWrite: () => (disk.blocked === null ? null : { kind: 'disk-full', detail: disk.blocked }),
    checkResponses: options.checkResponses ?? false,
  });
  return {
    handler: http.handler,
    close: async () => {
      bus.closeAll();
      http.close();
      await authenticator.idle();
    },
  };
}

/** No route writes field values yet, so no tag has any. */
const noTagData: TagData = {
  describe: () => ({ label: null, attributes: {} }),
  hasData: () => false,
  findValues: async () => undefined,
};

function readiness(disk: DiskGuard, pipeline: Pipeline): { ok: boolean; reasons: readonly string[] } {
  const reasons = [disk.blocked, pipeline.ingest.stalled].filter((reason) => reason !== null);
  return { ok: reasons.length === 0, reasons: [...new Set(reasons)] };
}

function routesOf({ config, store, bus, now, pipeline }: InterfaceOptions): readonly Route[] {
  const { activity, directory, ledger } = pipeline;
  const { states } = ledger;
  const house = { store, directory, activity, states, now, newId: randomUUID };
  return [
    ...authRoutes(),
    ...tagRoutes({ ...house, data: noTagData, linked: () => false }),
    ...eventRoutes({ bus, heartbeatSeconds: config.live.heartbeatSeconds }),
    ...readerRoutes({ ...house, noDataMs: config.readers.noDataSeconds * 1000 }),
    ...antennaRoutes(house),
    ...deviceRoutes(house),
    ...zoneRoutes(house),
    ...inventoryRoutes({
      ...house,
      linkOf: () => null,
      linkedTags: () => [],
      presenceMs: config.presence.windowSeconds * 1000,
    }),
  ];
}
