import type { Broker } from '../broker/types.ts';
import { clearImportLeftovers } from '../features/import/upload.ts';
import { pkiPages } from '../features/pki/pki-pages.ts';
import { type RevocationListDraft, RevocationLists } from '../features/pki/revocation-lists.ts';
import { createTagSearch } from '../features/tags/search-tags.ts';
import { redirectToHttps } from '../http/https-redirect.ts';
import { type Listening, listen } from '../http/listen.ts';
import type { Authority } from '../pki/authority.ts';
import { removeOrphans } from '../store/forget-tags.ts';
import type { Store } from '../store/store.ts';
import { startSweeper } from '../sweep/sweeper.ts';
import { BackupSchedule } from './backup-schedule.ts';
import {
  type CertificateHealth,
  createCertificateHealth,
  expiryWarnings,
  type OwnCertificates,
} from './certificate-health.ts';
import { certificateTasks } from './certificate-tasks.ts';
import { Closers } from './closers.ts';
import { type Endpoints, openDataFolder } from './data-folder.ts';
import { type AppOptions, type House, openHouse } from './house.ts';
import { createInterface, type InterfaceOptions } from './interface.ts';
import { openBroker } from './open-broker.ts';
import { openPipeline, openWebhooks } from './open-pipeline.ts';
import { ownHub } from './own-hub.ts';
import { ownProgram } from './own-program.ts';
import type { Pipeline } from './pipeline.ts';
import { checkPorts } from './port-check.ts';
import { createRegisters } from './registers.ts';
import { uploadsDir } from './routes.ts';
import { startTimers } from './timers.ts';
import { endOf, readWebCertificate, type WebCertificate } from './web-certificate.ts';

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
  const house = await openHouse(options, closers, given && endOf(given));
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

function backupSchedule({ options, now }: House): BackupSchedule {
  const { config, configFile, log } = options;
  return new BackupSchedule({
    ...{ config, program: programOf(options), log: log.child({ name: 'backup' }), now },
    ...(configFile !== undefined && { configFile }),
  });
}

const programOf = ({ program }: AppOptions): readonly string[] => program ?? ownProgram();

async function saveState(pipeline: Pipeline): Promise<void> {
  await pipeline.ledger.checkpoint();
  await pipeline.activity.save();
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
  const { config, configFile, log, checkResponses } = house.options;
  const { store, disk, bus, now, authority } = house;
  const web = createInterface({
    ...{ config, configFile, store, disk, bus, now, authority, checkResponses },
    program: programOf(house.options),
    log: log.child({ name: 'http' }),
    certificates: certificateHealth(house),
    site: authorityPages(house),
    hub: ownHub(log),
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
    replaceWeb: (certificate) => {
      secure.replaceCertificate(certificate);
      if (given) house.webNotAfter = endOf(certificate);
    },
    warnings: () => expiryWarnings(endsOf(house), house.now()),
    isNotYetValid: () => house.now() < house.server.notBefore,
    onRenewed: ({ chainPem, keyPem, notBefore, notAfter }) => {
      house.server = { certPem: chainPem, keyPem, notBefore, notAfter };
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
    get webNotAfter() {
      return house.webNotAfter;
    },
  });
}

function endsOf({ authority, server, webNotAfter }: House): OwnCertificates {
  return { caNotAfter: authority.caNotAfter, serverNotAfter: server.notAfter, webNotAfter };
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
