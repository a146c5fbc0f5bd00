import { join } from 'node:path';
import { type Agent, startAgent } from '../agent/agent.ts';
import { loadAgentIdentity } from '../agent/agent-identity.ts';
import { agentOptions } from '../agent/options.ts';
import type { Log } from '../log/log.ts';
import { type SimulatedReader, type Simulation, startSimulation } from '../simulator/simulation.ts';
import { tables } from '../store/tables.ts';
import type { App } from './create-app.ts';
import { withLocal } from './stand-ins.ts';
import { type VirtualReadersOptions, virtualDir, virtualReaders } from './virtual-readers.ts';

export interface Demo {
  /** One line for the greeting. */
  readonly summary: string;
  stop(): Promise<void>;
}

const READERS = 2;
const TAGS = 40;
const READS_PER_SECOND = 25;
const DWELL_SECONDS = 45;

/** Virtual readers and their agents in this process, connected to its broker over real mutual TLS. */
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
  const readers = await Promise.all((await virtualReaders(made)).map((one) => standIn(one, dataDir)));
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
  const agents = startAgents(app, simulation, log);
  const summary = `${READERS} virtual readers with their agents, ${TAGS} tags walking between 4 zones`;
  const stop = async (): Promise<void> => {
    await Promise.all(agents.map((agent) => agent.stop()));
    await simulation.stop();
  };
  return { summary, stop };
}

function standIn(reader: SimulatedReader, dataDir: string): Promise<SimulatedReader> {
  const identityDir = virtualDir(dataDir, reader.serial);
  return withLocal(reader, { identityDir, dir: join(identityDir, 'flash') });
}

/** As on real readers, it is they who start the radio once the service says so. */
function startAgents({ dataDir, endpoints }: App, { locals }: Simulation, log: Log): readonly Agent[] {
  return Array.from(locals, ([serial, { url }]) => {
    const dir = virtualDir(dataDir, serial);
    return startAgent({
      options: agentOptions({ dir, broker: endpoints.mqtts, reader: url }),
      identity: loadAgentIdentity(dir, Date.now()),
      log: (line) => log.info({ name: 'demo agent', serial }, line),
    });
  });
}

function firstOrg({ store }: App): string {
  const orgs = Array.from(store.range(tables.orgs), ({ value }) => value).sort((a, b) => a.no - b.no);
  const first = orgs[0];
  if (!first) throw new Error('there is no organisation');
  return first.id;
}
