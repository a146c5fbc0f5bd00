import { join } from 'node:path';
import { startBroker } from '../broker/broker.ts';
import type { Broker } from '../broker/types.ts';
import type { Config } from '../config/options.ts';
import { clearImportLeftovers } from '../features/import/upload.ts';
import { pkiPages } from '../features/pki/pki-pages.ts';
import { type RevocationListDraft, RevocationLists } from '../features/pki/revocation-lists.ts';
import { createTagSearch } from '../features/tags/search-tags.ts';
import { redirectToHttps } from '../http/https-redirect.ts';
import { type Listening, listen } from '../http/listen.ts';
import { SteadyClock } from '../lib/steady-clock.ts';
import { createLiveBus, type LiveBus } from '../live/bus.ts';
import type { Log } from '../log/log.ts';
import { type Authority, openAuthority } from '../pki/authority.ts';
import { hostNames } from '../pki/host-names.ts';
import { DiskGuard } from '../store/disk-guard.ts';
import { removeOrphans } from '../store/forget-tags.ts';
import { openStore, type Store } from '../store/store.ts';
import { startSweeper } from '../sweep/sweeper.ts';
import { admission } from './admission.ts';
import { BackupSchedule } from './backup-schedule.ts';
import { type CertificateHealth, createCertificateHealth, expiryWarnings } from './certificate-health.ts';
import { certificateTasks } from './certificate-tasks.ts';
import { Closers } from './closers.ts';
import { type Endpoints, openDataFolder } from './data-folder.ts';
import { Disconnects } from './disconnects.ts';
import { type FirstStart, firstStart } from './first-start.ts';
import { createInterface, type InterfaceOptions } from './interface.ts';
import { openPipeline, openWebhooks } from './open-pipeline.ts';
import { ownProgram } from './own-program.ts';
import type { Pipeline } from './pipeline.ts';
import { checkPorts } from './port-check.ts';
import { createRegisters } from './registers.ts';
import { uploadsDir } from './routes.ts';
import { startTimers } from './timers.ts';
import { upgradeStore } from './upgrade.ts';
import { readWebCertificate, type WebCertificate } from './web-certificate.ts';

export interface AppOptions {
  readonly config: Config;
  /** The configuration's file as it was named; absent: the usual one, if it is there. */
  readonly configFile?: string | undefined;
  readonly log: Log;
  readonly now?: () => number;
  /** Told once, when the first start made the admin: the password is not kept. */
  readonly onFirstStart?: (made: FirstStart) => void;
  /** Answers that break their own declaration become errors. For tests. */
  readonly checkResponses?: boolean;
}

/** A running appliance. */
export interface App {
  readonly endpoints: Endpoints;
  readonly dataDir: string;
  readonly store: Store;
  readonly authority: Authority;
  readonly pipeline: Pipeline;
  /** Stops taking input, settles what was taken, writes everything and gives the data folder free. */
  stop(): Promise<void>;
}

interface House {
  readonly options: AppOptions;
  readonly now: () => number;
  readonly closers: Closers;
  readonly store: Store;
  readonly authority: Authority;
  /** Replaced when it is renewed. */
  server: ServerTls;
  readonly clock: SteadyClock;
  readonly disk: DiskGuard;
  readonly bus: LiveBus;
}

/** Starts everything, in the order in which the parts need each other. If one part fails, what had started is undone. */
export async function startApp(options: AppOptions): Promise<App> {
  const closers = new Closers(options.log);
  try {
    return await start(options, closers);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function start(options: AppOptions, closers: Closers): Promise<App> {
  const { config } = options;
  const folder = openDataFolder(config.dataDir);
  closers.add('data folder', async () => folder.close());
  await clearImportLeftovers(uploadsDir(config.dataDir));
  const addresses = (['http', 'https', 'mqtts'] as const).map((name) => ({ name, ...config[name] }));
  await checkPorts(addresses);
  const given = readWebCertificate(config.https);
  const house = await openHouse(options, closers);
  const registers = createRegisters(house.store, config);
  const orphans = removeOrphans(house.store).catch((error: unknown) =>
    options.log.error(
      { err: error },
      'what deleted tags left could not be removed; the next start tries again',
    ),
  );
  closers.add('deleted tags', () => orphans);
  const webhooks = await openWebhooks(house, registers);
  const pipeline = openPipeline(house, registers, webhooks);
  closers.add('state', () => saveState(pipeline));
  const search = createTagSearch({ ...house, ...registers, states: pipeline.ledger.states });
  const timers = startTimers({ ...house, config, log: options.log, pipeline, registers, search, webhooks });
  closers.add('timers', () => timers.stop());
  const broker = await openBroker(house, pipeline);
  const tls = given ?? { cert: house.server.certPem, key: house.server.keyPem };
  const backups = backupSchedule(house);
  const parts = { registers, search, pipeline, broker, webhooks, backups, tls };
  const { secure, plain } = await openWeb(house, parts);
  keepCertificates(house, { given, broker, secure });
  const web = { http: plain.origin, https: secure.origin };
  const endpoints = { ...web, mqtts: mqttsUrl(config.mqtts.host, broker.port), pid: process.pid };
  await folder.writeEndpoints(endpoints);
  backups.start();
  closers.add('scheduled backups', () => backups.stop());
  return {
    endpoints,
    dataDir: config.dataDir,
    store: house.store,
    authority: house.authority,
    pipeline,
    stop: () => closers.closeAll(),
  };
}

/** Everything that can fail for a reason outside comes before the first start, which tells its password only once. */
async function openHouse(options: AppOptions, closers: Closers): Promise<House> {
  const { config, log, now = Date.now } = options;
  const { passphraseFile } = config.pki;
  const authority = await openAuthority({ certsDir: config.certsDir, passphraseFile, now: now() });
  const server = await serverCertificate(authority, config, now());
  const ends = { caNotAfter: authority.caNotAfter, serverNotAfter: server.notAfter };
  for (const warning of [...authority.warnings, ...expiryWarnings(ends, now())]) log.warn({}, warning);
  const store = openStore(config.dataDir);
  closers.add('store', () => store.close());
  await upgradeStore(store, { config, log, now });
  const made = await firstStart(store, now());
  if (made) options.onFirstStart?.(made);
  const disk = new DiskGuard(config.dataDir, config.storage.minFreeMegabytes);
  await disk.check();
  const bus = createLiveBus();
  return { options, now, closers, store, authority, server, disk, bus, clock: new SteadyClock({ now }) };
}

function backupSchedule({ options, now }: House): BackupSchedule {
  const { config, configFile, log } = options;
  return new BackupSchedule({
    ...{ config, program: ownProgram(), log: log.child({ name: 'backup' }), now },
    ...(configFile !== undefined && { configFile }),
  });
}

async function saveState(pipeline: Pipeline): Promise<void> {
  await pipeline.ledger.checkpoint();
  await pipeline.activity.save();
}

interface ServerTls {
  readonly certPem: string;
  readonly keyPem: string;
  readonly notAfter: number;
}

async function serverCertificate(authority: Authority, config: Config, now: number): Promise<ServerTls> {
  const names = hostNames(config.mqtts.hostnames);
  const { chainPem, keyPem, notAfter } = await authority.ensureServer({ ...names, now });
  return { certPem: chainPem, keyPem, notAfter };
}

async function openBroker(house: House, pipeline: Pipeline): Promise<Broker> {
  const { config, log } = house.options;
  const { activity, directory, outbox } = pipeline;
  const disconnects = new Disconnects(house.store);
  const broker = await startBroker({
    ...config.mqtts,
    ...house.server,
    caPem: house.authority.caCertPem,
    dataDir: join(config.dataDir, 'broker'),
    maxConnections: config.broker.maxConnections,
    log: log.child({ name: 'broker' }),
    hooks: {
      admit: (peer) => admission(directory, peer, house.now()),
      onPublish: (...[serial, kind, { payload }, settle]) => pipeline.take(serial, { kind, payload }, settle),
      onConnected: (serial, id) => activity.connected(serial, id, house.now()),
      onDisconnected: (serial, id) => activity.disconnected(serial, id, house.now()),
      onCommandsSubscribed: (serial) => {
        activity.heard(serial, house.now());
        pipeline.agentReturned(serial);
      },
    },
  });
  const cutting = startSweeper([disconnects.task((serial) => broker.disconnect(serial))], log);
  house.closers.add('disconnects', () => cutting.stop());
  // Undone last first: the broker stops reading and waits for the answers ingest still has to give.
  house.closers.add('commands', () => outbox.close());
  house.closers.add('acknowledgements', () => pipeline.acknowledgements.stop());
  house.closers.add('ingest', () => pipeline.ingest.stop());
  house.closers.add('broker', () => broker.stop());
  // Not waited for: an agent that does not read must not hold up the start.
  void outbox.open((serial, payload, options) => broker.publishCommand(serial, payload, options));
  return broker;
}

async function openWeb(
  house: House,
  {
    tls,
    ...parts
  }: Pick<InterfaceOptions, 'registers' | 'search' | 'pipeline' | 'broker' | 'webhooks' | 'backups'> & {
    tls: WebCertificate;
  },
): Promise<{ readonly secure: Listening; readonly plain: Listening }> {
  const { config, log, checkResponses } = house.options;
  const { store, disk, bus, now } = house;
  const web = createInterface({
    config,
    store,
    disk,
    bus,
    now,
    log: log.child({ name: 'http' }),
    checkResponses,
    certificates: certificateHealth(house),
    site: authorityPages(house),
    ...parts,
  });
  const open = async (listening: Promise<Listening>): Promise<Listening> => {
    const server = await listening;
    house.closers.add(server.origin, () => server.close());
    return server;
  };
  const { handler } = web;
  const secure = await open(listen({ handler, host: config.https.host, port: config.https.port, tls }));
  const redirecting = redirectToHttps({ handler, httpsPort: secure.port });
  const plain = await open(listen({ handler: redirecting, ...config.http }));
  house.closers.add('streams', () => web.close());
  return { secure, plain };
}

interface Shown {
  /** The operator's own certificate for HTTPS. */
  readonly given: WebCertificate | null;
  readonly broker: Broker;
  readonly secure: Listening;
}

/** Renewed and replaced certificates are shown without a restart. */
function keepCertificates(house: House, { given, broker, secure }: Shown): void {
  const { config, log } = house.options;
  const { certFile, keyFile } = config.https;
  const files = certFile !== null && keyFile !== null ? { certFile, keyFile } : null;
  const tasks = certificateTasks({
    ...{ authority: house.authority, hostnames: config.mqtts.hostnames, now: house.now, log },
    isSteady: () => house.clock.isSteady(),
    given: given && files && { current: given, files },
    replaceWeb: (certificate) => secure.replaceCertificate(certificate),
    onRenewed: ({ chainPem, keyPem, notAfter }) => {
      house.server = { certPem: chainPem, keyPem, notAfter };
      broker.replaceCertificate(house.server);
    },
  });
  const sweeper = startSweeper(tasks, log);
  house.closers.add('certificates', () => sweeper.stop());
}

function certificateHealth(house: House): CertificateHealth {
  const { store, now, authority } = house;
  return createCertificateHealth({
    ...{ store, now, caNotAfter: authority.caNotAfter },
    get serverNotAfter() {
      return house.server.notAfter;
    },
  });
}

function authorityPages({ store, now, authority }: House): ReturnType<typeof pkiPages> {
  const sign = (draft: RevocationListDraft) => authority.revocationList(draft);
  return pkiPages({
    caCertPem: authority.caCertPem,
    revocationLists: new RevocationLists({ store, now, sign }),
  });
}

function mqttsUrl(host: string, port: number): string {
  const anywhere = host === '0.0.0.0' || host === '::';
  const name = anywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `mqtts://${name}:${port}`;
}
