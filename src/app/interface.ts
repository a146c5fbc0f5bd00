import type { RequestListener } from 'node:http';
import type { Broker } from '../broker/types.ts';
import type { Config } from '../config/options.ts';
import { createAuthenticator } from '../features/auth/authenticator.ts';
import { licenceGuard } from '../features/licence/licence-guard.ts';
import type { TagSearch } from '../features/tags/search-tags.ts';
import type { WebhookDeliverer } from '../features/webhooks/deliverer.ts';
import type { HubFiles } from '../http/hub-files.ts';
import { hubPages } from '../http/hub-pages.ts';
import type { Page } from '../http/page.ts';
import { mayForceHttps } from '../http/security-headers.ts';
import { createHttp } from '../http/server.ts';
import type { LiveBus } from '../live/bus.ts';
import type { Log } from '../log/log.ts';
import type { Authority } from '../pki/authority.ts';
import type { DiskGuard } from '../store/disk-guard.ts';
import type { Store } from '../store/store.ts';
import type { BackupSchedule } from './backup-schedule.ts';
import type { CertificateHealth } from './certificate-health.ts';
import { createMetrics } from './metrics.ts';
import type { Pipeline } from './pipeline.ts';
import type { Registers } from './registers.ts';
import { createRoutes } from './routes.ts';
import { createSystem } from './system.ts';
import { version } from './version.ts';

export interface InterfaceOptions {
  readonly config: Config;
  readonly store: Store;
  readonly disk: DiskGuard;
  readonly bus: LiveBus;
  readonly now: () => number;
  readonly log: Log;
  readonly registers: Registers;
  readonly search: TagSearch;
  readonly pipeline: Pipeline;
  readonly broker: Broker;
  readonly authority: Authority;
  readonly webhooks: WebhookDeliverer;
  readonly certificates: CertificateHealth;
  readonly backups: BackupSchedule;
  /** As `serve` was told; absent: the usual one, if it is there. */
  readonly configFile?: string | undefined;
  /** Starts this program: the command without its arguments. */
  readonly program: readonly string[];
  /** Pages outside the API. */
  readonly site: (path: string) => Page | (() => Promise<Page>) | null;
  /** Null: built without. */
  readonly hub: HubFiles | null;
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
  const ready = () => readiness(disk, pipeline);
  const system = createSystem({ ...options, ready });
  const { routes, imports } = createRoutes({ ...options, system, beside: authenticator.beside });
  const readOnly = licenceGuard({ ...options, licences: options.registers.licences });
  const http = createHttp({
    routes,
    authenticate: (credentials) => authenticator.authenticate(credentials),
    probes: { ready },
    metrics: async () => ({ contentType: metrics.contentType, body: await metrics.metrics() }),
    info: {
      title: 'Tagkeep',
      version,
      description: 'RFID tag, reader and asset tracking on your own premises.',
    },
    log,
    site: options.site,
    hub: hubPages(options.hub),
    beforeWrite: (caller, route) =>
      disk.blocked === null ? readOnly(caller, route) : { kind: 'disk-full', detail: disk.blocked },
    writeRefusals: ['disk-full', 'read-only'],
    strictTransport: mayForceHttps(options.config),
    checkResponses: options.checkResponses ?? false,
  });
  return {
    handler: http.handler,
    close: async () => {
      bus.closeAll();
      http.close();
      await system.close();
      await imports.close();
      await authenticator.idle();
    },
  };
}

function readiness(disk: DiskGuard, pipeline: Pipeline): { ok: boolean; reasons: readonly string[] } {
  const reasons = [disk.blocked, pipeline.ingest.stalled].filter((reason) => reason !== null);
  return { ok: reasons.length === 0, reasons: [...new Set(reasons)] };
}
