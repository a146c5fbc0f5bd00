import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Broker } from '../broker/types.ts';
import type { Config } from '../config/options.ts';
import { licenceAnswer } from '../contract/licence.ts';
import { alertRoutes } from '../features/alerts/alert-routes.ts';
import { apiKeyRoutes } from '../features/api-keys/api-key-routes.ts';
import { assetRoutes } from '../features/assets/asset-routes.ts';
import { auditRoutes } from '../features/audit/audit-routes.ts';
import { authRoutes } from '../features/auth/auth-routes.ts';
import { sessionRoutes } from '../features/auth/session-routes.ts';
import { billingRoutes } from '../features/billing/billing-routes.ts';
import { bulkDeleteRoutes } from '../features/bulk-delete/bulk-delete-routes.ts';
import { epcRoutes } from '../features/epcs/epc-routes.ts';
import { eventRoutes } from '../features/events/event-routes.ts';
import { fieldRoutes } from '../features/fields/field-routes.ts';
import { floorRoutes } from '../features/floor/floor-routes.ts';
import { planRoutes } from '../features/floor/plan-routes.ts';
import { exportRoutes } from '../features/import/export-routes.ts';
import { createImports, type Imports } from '../features/import/import-routes.ts';
import { inventoryHistoryRoutes } from '../features/inventory/history-route.ts';
import { inventoryRoutes } from '../features/inventory/inventory-routes.ts';
import { licenceRoutes } from '../features/licence/licence-routes.ts';
import { organisationRoutes } from '../features/organisation/organisation-routes.ts';
import { siteRoutes } from '../features/organisation/site-routes.ts';
import { radioRoutes } from '../features/radio/radio-routes.ts';
import { activityRoutes } from '../features/readers/activity-routes.ts';
import { antennaRoutes } from '../features/readers/antenna-routes.ts';
import { commandRoutes } from '../features/readers/command-routes.ts';
import { deviceRoutes } from '../features/readers/device-routes.ts';
import { diagnosticsRoutes } from '../features/readers/diagnostics-routes.ts';
import { provisionRoutes } from '../features/readers/provision-routes.ts';
import { readerRoutes } from '../features/readers/reader-routes.ts';
import type { SendCommand } from '../features/readers/send-command.ts';
import { unclaimedRoutes } from '../features/readers/unclaimed-routes.ts';
import type { ApplianceSystem } from '../features/system/appliance-system.ts';
import { systemRoutes } from '../features/system/system-routes.ts';
import { dataRoutes } from '../features/tags/data-routes.ts';
import { historyRoutes } from '../features/tags/history-routes.ts';
import { locationRoutes } from '../features/tags/location-routes.ts';
import type { TagSearch } from '../features/tags/search-tags.ts';
import { createTagDataView } from '../features/tags/tag-data-view.ts';
import { tagRoutes } from '../features/tags/tag-routes.ts';
import { visitRoutes } from '../features/tags/visit-routes.ts';
import { userRoutes } from '../features/users/user-routes.ts';
import type { WebhookDeliverer } from '../features/webhooks/deliverer.ts';
import { webhookRoutes } from '../features/webhooks/webhook-routes.ts';
import { zoneRoutes } from '../features/zones/zone-routes.ts';
import type { Route } from '../http/route.ts';
import type { LiveBus } from '../live/bus.ts';
import type { Log } from '../log/log.ts';
import type { Authority } from '../pki/authority.ts';
import type { Store, Tx } from '../store/store.ts';
import { identityIssuer } from './identity-issuer.ts';
import type { Pipeline } from './pipeline.ts';
import type { Registers } from './registers.ts';

export interface RoutesOptions {
  readonly config: Config;
  readonly store: Store;
  readonly bus: LiveBus;
  readonly now: () => number;
  readonly log: Log;
  readonly registers: Registers;
  readonly search: TagSearch;
  readonly pipeline: Pipeline;
  readonly broker: Pick<Broker, 'agents' | 'opened'>;
  readonly authority: Authority;
  readonly webhooks: WebhookDeliverer;
  readonly system: ApplianceSystem;
  /** Takes a write that no request waits for. */
  readonly beside: (write: Promise<unknown>) => void;
}

/** Everything the features serve, and the imports, which the stop has to wait for. */
export interface Routes {
  readonly routes: readonly Route[];
  readonly imports: Imports;
}

/** Where uploads are kept while they are worked on. */
export function uploadsDir(dataDir: string): string {
  return join(dataDir, 'uploads');
}

/** Puts the features together with what they need of the house. */
export function createRoutes(options: RoutesOptions): Routes {
  const house = houseOf(options);
  const imports = createImports({ ...house, tmpDir: uploadsDir(options.config.dataDir) });
  const routes = [
    ...accountRoutes(options),
    ...tagNounRoutes(options),
    ...imports.routes,
    ...exportRoutes(house),
    ...epcRoutes(),
    ...eventRoutes({ bus: options.bus, heartbeatSeconds: options.config.live.heartbeatSeconds }),
    ...readerNounRoutes(options),
    ...assetRoutes({ ...house, links: options.registers.links }),
    ...placeRoutes(options),
    ...signalRoutes(options),
    ...alertRoutes(house),
    ...webhookRoutes({ ...house, deliverer: options.webhooks }),
    ...systemRoutes({ ...house, system: options.system }),
  ];
  return { routes, imports };
}

function houseOf({ store, now, pipeline }: RoutesOptions) {
  const { activity, directory, ledger } = pipeline;
  return { store, directory, activity, ledger, states: ledger.states, now, newId: randomUUID };
}

function accountRoutes(options: RoutesOptions): readonly Route[] {
  const { store, now, log, beside, registers } = options;
  const { sessions, licences } = registers;
  const house = { store, now, newId: randomUUID };
  return [
    ...authRoutes({ store }),
    ...sessionRoutes({ store, sessions, now, log, beside }),
    ...userRoutes({ ...house, sessions }),
    ...apiKeyRoutes(house),
    ...auditRoutes({ store }),
    ...organisationRoutes({ store, now }),
    ...siteRoutes({ ...house, maxSites: (tx, orgId) => licences.of(tx, orgId).maxSites }),
    ...licenceRoutes({ store, licences, now }),
    ...billingRoutes({
      // What is used is not part of it.
      licence: (orgId) => licenceAnswer(licences.of(store, orgId), { readers: 0, sites: 0 }, now()).license,
    }),
  ];
}

function tagNounRoutes(options: RoutesOptions): readonly Route[] {
  const { config, pipeline, registers, search } = options;
  const house = houseOf(options);
  const { catalogue, links } = registers;
  return [
    ...tagRoutes({
      ...house,
      search,
      data: createTagDataView({ ...house, catalogue }),
      linked: (tagNo) => links.linked(tagNo),
    }),
    ...dataRoutes(house),
    ...historyRoutes(house),
    ...visitRoutes(house),
    ...locationRoutes({
      ...house,
      placementOf: (orgNo, epc) => pipeline.views.placementOf(orgNo, epc),
      locationPolicy: config.location.policy,
      presenceMs: config.presence.windowSeconds * 1000,
    }),
    ...bulkDeleteRoutes(house),
    ...fieldRoutes(house),
  ];
}

function readerNounRoutes(options: RoutesOptions): readonly Route[] {
  const house = houseOf(options);
  const { licences } = options.registers;
  const { pipeline, broker } = options;
  const sendCommand: SendCommand = (reader) => pipeline.outbox.send(reader);
  const onClaimed = (serial: string): void => {
    if (broker.agents(serial) > 0) pipeline.agentReturned(serial);
  };
  const maxReaders = (tx: Tx, orgId: string): number => licences.of(tx, orgId).maxReaders;
  const claiming = { ...house, onClaimed, maxReaders };
  const { facts } = options.registers;
  const readers = { ...house, facts, noDataMs: options.config.readers.noDataSeconds * 1000 };
  return [
    ...readerRoutes(readers),
    ...commandRoutes({ ...readers, sendCommand }),
    ...antennaRoutes({ ...house, sendCommand }),
    ...deviceRoutes(claiming),
    ...provisionRoutes({ ...claiming, issueIdentity: identityIssuer(options.authority) }),
    ...unclaimedRoutes(house),
    ...diagnosticsRoutes({
      ...{ ...house, diagnostics: pipeline.diagnostics },
      connections: (serial) => broker.opened(serial),
    }),
  ];
}

function placeRoutes(options: RoutesOptions): readonly Route[] {
  const house = houseOf(options);
  const { links } = options.registers;
  return [
    ...zoneRoutes(house),
    ...floorRoutes(house),
    ...planRoutes(house),
    ...inventoryRoutes({
      ...house,
      linkOf: (tagNo) => links.linkOf(tagNo),
      linkedTags: (orgId) => links.linkedTags(orgId),
      presenceMs: options.config.presence.windowSeconds * 1000,
    }),
  ];
}

function signalRoutes(options: RoutesOptions): readonly Route[] {
  const { config, pipeline, registers } = options;
  const { recent, readerHistory, inventoryHistory } = pipeline;
  const house = houseOf(options);
  return [
    ...radioRoutes({
      ...house,
      recent,
      linkOf: (tagNo) => registers.links.linkOf(tagNo),
      labelOf: (orgId, tagNo) => registers.descriptions.describe(orgId, tagNo).label,
      locationPolicy: config.location.policy,
    }),
    ...activityRoutes({ ...house, readerHistory }),
    ...inventoryHistoryRoutes({ inventoryHistory }),
  ];
}
