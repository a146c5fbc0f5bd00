import type { Log } from '../log/log.ts';
import { startSimulation } from '../simulator/simulation.ts';
import { tables } from '../store/tables.ts';
import type { App } from './create-app.ts';
import { virtualReaders } from './virtual-readers.ts';

export interface Demo {
  /** One line for the greeting. */
  readonly summary: string;
  stop(): Promise<void>;
}

const PREFIX = 'DEMO';
const READERS = 2;
const TAGS = 40;
const READS_PER_SECOND = 25;
const DWELL_SECONDS = 45;

/** Virtual readers in this process, connected to its broker over real mutual TLS. */
export async function startDemo(app: App, log: Log): Promise<Demo> {
  const { store, authority, endpoints, dataDir } = app;
  refuseRealReaders(app);
  const org = firstOrg(app);
  const now = Date.now();
  const made = { store, authority, dataDir, orgId: org, prefix: PREFIX, count: READERS, now };
  const readers = await virtualReaders(made);
  const simulation = await startSimulation({
    readers,
    url: endpoints.mqtts,
    seed: 1,
    tags: TAGS,
    readsPerSecond: READS_PER_SECOND,
    dwellSeconds: DWELL_SECONDS,
    now: Date.now,
    log: (line) => log.info({ name: 'demo' }, line),
  });
  const summary = `${READERS} virtual readers, ${TAGS} tags walking between 4 zones, about ${READS_PER_SECOND} reads a second`;
  return { summary, stop: () => simulation.stop() };
}

/** Made-up reads among real ones would make the answers worthless. */
function refuseRealReaders({ store, dataDir }: App): void {
  for (const { value } of store.range(tables.devices)) {
    if (value.serial.startsWith(`${PREFIX}-`) || value.serial.startsWith('SIM-')) continue;
    throw new Error(
      `${dataDir} has real readers (${value.serial}); for the demo choose another folder with TAGKEEP_DATA_DIR and TAGKEEP_CERTS_DIR`,
    );
  }
}

function firstOrg({ store }: App): string {
  const orgs = Array.from(store.range(tables.orgs), ({ value }) => value).sort((a, b) => a.no - b.no);
  const first = orgs[0];
  if (!first) throw new Error('there is no organisation');
  return first.id;
}
