import { metric } from '../../test/support/rest-pages.ts';
import { until } from '../../test/support/wait.ts';
import { type Fault, type FaultContext, type FaultOutcome, outcomeOf } from './fault.ts';
import { count, milliseconds, statusesOf } from './figures.ts';
import { FailingCalls, type Injection, injectionProblem } from './injection.ts';
import { Site } from './site.ts';

const ROUNDS = 4;
const FAILING_MS = 4000;
const SERVICE_MS = 60_000;

/** A way in which the disk refuses. */
interface Way extends Injection {
  readonly what: string;
  /** Nothing gets through, so that nothing at all may be acknowledged. */
  readonly isTotal: boolean;
}

/** What was seen in all rounds. */
interface Seen {
  readonly faults: string[];
  readonly recoveries: number[];
  readonly refusals: Map<number, number>;
  /** Ends of the process that were no kill of ours, and what it said last. */
  ends: number;
}

/** The fault of a disk that answers with an error for a while: `EIO` or `ENOSPC`. */
export function failingDisk(name: string, errno: string): Fault {
  return {
    name,
    must: `while the disk answers ${errno} no read and no REST write is acknowledged, REST reads go on; after it, all works again (by itself, or the process has ended with one clear line and a new start does) and nothing acknowledged is lost`,
    run: (context) => run(context, waysOf(errno)),
  };
}

/** LMDB writes pages, flushes them, then writes the meta page through; broker and configuration flush too. */
function waysOf(errno: string): readonly Way[] {
  const failing = (call: string, when = ''): string => `${call}:error=${errno}${when}`;
  return [
    { what: 'flushes', calls: ['fdatasync', 'fsync'].map((call) => failing(call)), isTotal: true },
    {
      what: 'writes',
      calls: ['pwrite64', 'pwritev', 'pwritev2'].map((call) => failing(call)),
      isTotal: true,
    },
    { what: 'now and then a write', calls: [failing('pwrite64', ':when=9+7')], isTotal: false },
  ];
}

async function run(context: FaultContext, ways: readonly Way[]): Promise<FaultOutcome> {
  const problem = injectionProblem();
  if (problem !== null) return { held: false, figures: [], faults: [problem] };
  const site = await Site.open({ seed: context.seed });
  const seen: Seen = { faults: [], recoveries: [], refusals: new Map(), ends: 0 };
  const rounds = context.quick ? 1 : ROUNDS;
  try {
    for (let round = 1; round <= rounds; round++)
      for (const way of ways) {
        context.signal.throwIfAborted();
        const before = seen.faults.length;
        await runOne(site, way, seen);
        const found = seen.faults.splice(before).map((fault) => `round ${round}, ${way.what}: ${fault}`);
        seen.faults.push(...found);
        context.log(`round ${round} of ${rounds}, ${way.what}: ${found.length} faults`);
      }
    await killWhileFailing(site, ways[0], seen);
  } finally {
    await site.close();
  }
  return outcomeOf(figuresOf(site, seen, rounds * ways.length), seen.faults);
}

function figuresOf(site: Site, { refusals, recoveries, ends }: Seen, times: number) {
  return [
    { what: 'times', value: String(times) },
    { what: 'reads acknowledged', value: count(site.acknowledged) },
    { what: 'REST writes answered', value: count(site.written) },
    { what: 'answers to writes meanwhile', value: statusesOf(refusals) },
    { what: 'ends of the process', value: String(ends) },
    { what: 'until all works again, p50 and longest', value: milliseconds(recoveries) },
  ];
}

async function runOne(site: Site, way: Way, seen: Seen): Promise<void> {
  await site.load();
  await site.goesOn();
  const failing = await FailingCalls.attach(site.appliance.pid, way);
  const before = site.statuses;
  try {
    if (way.isTotal) await watchRefusing(site, seen);
    else await new Promise((resolve) => setTimeout(resolve, FAILING_MS));
  } finally {
    await failing.detach();
  }
  add(seen.refusals, before, site.statuses);
  await recover(site, seen);
  await site.settle();
  seen.faults.push(...(await site.faults()));
  await site.leave();
}

/** Nothing gets through: nobody may be told that it did. */
async function watchRefusing(site: Site, seen: Seen): Promise<void> {
  // It may begin in the midst of a commit, between the pages and the meta page: then the process ends (see `recover`).
  const hasEnded = (): boolean => site.appliance.ended !== null;
  const isStalled = async () => (await metric(site.endpoints, 'tagkeep_ingest_stalled')) === 1;
  await until('ingest to say that it is stalled', async () => hasEnded() || (await isStalled()));
  if (hasEnded()) return;
  const { acknowledged, written } = site;
  const deadline = performance.now() + FAILING_MS;
  while (performance.now() < deadline) {
    for (const path of ['/api/v1/tags', '/api/v1/zones', '/healthz'])
      seen.faults.push(...(await unexpected(site, path, 200)));
    seen.faults.push(...(await unexpected(site, '/readyz', 503)));
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  const reads = site.acknowledged - acknowledged;
  const writes = site.written - written;
  if (reads > 0) seen.faults.push(`${reads} reads were acknowledged while nothing could be written`);
  if (writes > 0) seen.faults.push(`${writes} REST writes were answered 2xx while nothing could be written`);
}

async function unexpected(site: Site, path: string, status: number): Promise<readonly string[]> {
  const [party] = site.parties;
  const headers = { authorization: `Bearer ${party?.key}` };
  const answer = await fetch(site.endpoints.http + path, { headers });
  await answer.arrayBuffer();
  return answer.status === status ? [] : [`GET ${path} is ${answer.status} while the disk fails`];
}

/** Waits until all works again; a process that ended with a clear line is started as its supervisor does. */
async function recover(site: Site, seen: Seen): Promise<void> {
  const at = performance.now();
  const deadline = at + SERVICE_MS;
  for (;;) {
    if (site.appliance.ended !== null) await startAgain(site, seen);
    try {
      await site.goesOn({ timeoutMs: 5000 });
      break;
    } catch (error) {
      if (site.appliance.ended === null && performance.now() > deadline) throw error;
    }
  }
  seen.recoveries.push(performance.now() - at);
  const ready = await fetch(`${site.endpoints.http}/readyz`);
  if (ready.status !== 200) seen.faults.push(`/readyz is ${ready.status} after it: ${await ready.text()}`);
}

async function startAgain(site: Site, seen: Seen): Promise<void> {
  const { ended } = site.appliance;
  seen.ends++;
  const last = site.appliance.output.trim().split('\n').at(-1) ?? '';
  if (typeof ended !== 'number') seen.faults.push(`the process ended by ${ended}: ${last.slice(0, 200)}`);
  if (!/disk|store/.test(last)) seen.faults.push(`the process ended with "${last.slice(0, 200)}"`);
  await site.stop('SIGKILL');
  await site.start();
  await site.load();
}

async function killWhileFailing(site: Site, way: Way | undefined, seen: Seen): Promise<void> {
  if (!way) return;
  await site.load();
  await site.goesOn();
  const failing = await FailingCalls.attach(site.appliance.pid, way);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await site.stop('SIGKILL');
  await failing.detach();
  await site.start();
  seen.faults.push(...(await site.faults()).map((fault) => `kill -9 while it fails: ${fault}`));
}

function add(
  sum: Map<number, number>,
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
): void {
  for (const [status, times] of after)
    sum.set(status, (sum.get(status) ?? 0) + times - (before.get(status) ?? 0));
}
