import type { Log } from '../log/log.ts';
import { startSimulation } from '../simulator/simulation.ts';
import { tables } from '../store/tables.ts';
import type { App } from './create-app.ts';
import { type VirtualReadersOptions, virtualReaders } from './virtual-readers.ts';

export interface Demo {
  /** One line for the greeting. */
  readonly summary: string;
  stop(): Promise<void>;
}

const READERS = 2;
const TAGS = 40;
const READS_PER_SECOND = 25;
const DWELL_SECONDS = 45;

/** Virtual readers in this process, connected to its broker over real mutual TLS. */
export async function startDemo(app: App, log: Log): Promise<Demo> {
  const { store, authority, endpoints, dataDir } = app;
  const org = firstOrg(app);
  const now = Date.now();
  const made: VirtualReadersOptions = {
    store,
    authority,
    dataDir,
    orgId: org,
    prefix: 'DEMO',
    count: READERS,
    now,
  };
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

function firstOrg({ store }: App): string {
  const orgs = Array.from(store.range(tables.orgs), ({ value }) => value).sort((a, b) => a.no - b.no);
  const first = orgs[0];
  if (!first) throw new Error('there is no organisation');
  return first.id;
}
