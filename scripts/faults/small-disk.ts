import { execFileSync } from 'node:child_process';
import { metric } from '../../test/support/rest-pages.ts';
import { canMount, SmallDisk } from '../../test/support/small-disk.ts';
import { until } from '../../test/support/wait.ts';
import { type Fault, type FaultContext, type FaultOutcome, outcomeOf } from './fault.ts';
import { count, milliseconds, statusesOf } from './figures.ts';
import { Site } from './site.ts';

const SIZE_MB = 48;
const MORE_MB = 128;
const ROUNDS = 5;
const REFUSING_MS = 3000;
const VALUES = 40;
const VALUE_LENGTH = 10_000;
const WRITES_MAX = 400;

interface Scene {
  readonly site: Site;
  readonly disk: SmallDisk;
  readonly faults: string[];
  readonly recoveries: number[];
}

/** A volume that fills up, by other files and by what the appliance itself keeps. */
export const smallDisk: Fault = {
  name: 'small-disk',
  must: 'on a full volume writes are refused with 507 and reads are not acknowledged, /readyz says so, REST reads go on; with room again all works by itself, kill -9 meanwhile or not, and nothing acknowledged is lost',
  async run(context: FaultContext): Promise<FaultOutcome> {
    if (!canMount())
      return { held: false, figures: [], faults: ['a tmpfs can not be mounted here: run it as root'] };
    const disk = new SmallDisk(`size=${SIZE_MB}m`);
    try {
      const site = await Site.open({ seed: context.seed, dataDir: disk.dir });
      try {
        return await fillAndEmpty(context, { site, disk, faults: [], recoveries: [] });
      } finally {
        await site.close();
      }
    } finally {
      disk.remove();
    }
  },
};

async function fillAndEmpty({ quick, log, signal }: FaultContext, scene: Scene): Promise<FaultOutcome> {
  const { site, disk, faults, recoveries } = scene;
  const rounds = quick ? 1 : ROUNDS;
  for (let round = 1; round <= rounds; round++) {
    signal.throwIfAborted();
    await site.load();
    await site.goesOn();
    disk.fill();
    await watchRefusing(scene);
    if (round % 2 === 0) await site.stop('SIGKILL');
    disk.empty();
    await recover(scene);
    log(`round ${round} of ${rounds}, filled by other files: ${faults.length} faults`);
  }
  await site.load();
  await site.goesOn();
  const ownMegabytes = await fillWithOwnData(site);
  await watchRefusing(scene);
  execFileSync('mount', ['-o', `remount,size=${MORE_MB}m`, disk.dir], { stdio: 'pipe' });
  await recover(scene);
  log(`filled by its own data: ${faults.length} faults`);
  return outcomeOf(
    [
      { what: 'times full', value: `${rounds} by other files, 1 by ${ownMegabytes} MB of its own` },
      { what: 'reads acknowledged', value: count(site.acknowledged) },
      { what: 'answers to writes', value: statusesOf(site.statuses) },
      { what: 'from room until all works again, p50 and longest', value: milliseconds(recoveries) },
    ],
    faults,
  );
}

async function watchRefusing({ site, faults }: Scene): Promise<void> {
  await until('/readyz to be 503', async () => (await fetch(`${site.endpoints.http}/readyz`)).status === 503);
  await until(
    'ingest to say that it is stalled',
    async () => (await metric(site.endpoints, 'tagkeep_ingest_stalled')) === 1,
  );
  // The look at the free space comes every second; before it the store may still find a page for a small write.
  await until('507', async () => (await writeZone(site)) === 507);
  const { acknowledged } = site;
  const deadline = performance.now() + REFUSING_MS;
  while (performance.now() < deadline) {
    const status = await writeZone(site);
    if (status !== 507) faults.push(`a write was answered ${status} on a full volume`);
    for (const path of ['/tags', '/inventory/summary', '/assets']) await site.parties[0]?.rest.get(path);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const reads = site.acknowledged - acknowledged;
  if (reads > 0) faults.push(`${reads} reads were acknowledged on a full volume`);
}

async function writeZone(site: Site): Promise<number> {
  const answer = await site.parties[1]?.rest.send('POST', '/zones', { name: `Full ${performance.now()}` });
  return answer?.status ?? 0;
}

async function recover({ site, faults, recoveries }: Scene): Promise<void> {
  const at = performance.now();
  if (site.appliance.pid === 0) {
    await site.start();
    await site.load();
  }
  await site.goesOn();
  recoveries.push(performance.now() - at);
  const ready = await fetch(`${site.endpoints.http}/readyz`);
  if (ready.status !== 200) faults.push(`/readyz is ${ready.status} with room again: ${await ready.text()}`);
  await site.settle();
  faults.push(...(await site.faults()));
  await site.leave();
}

/** Tag data until the appliance refuses; how many megabytes it took. */
async function fillWithOwnData(site: Site): Promise<number> {
  const [party] = site.parties;
  for (let write = 0; write < WRITES_MAX; write++) {
    const text = `${write} `.padEnd(VALUE_LENGTH, 'x');
    const values = Object.fromEntries(Array.from({ length: VALUES }, (_, index) => [`long_${index}`, text]));
    const answer = await party?.rest.send('PUT', `/tags/FA17FF${'0'.repeat(18)}/data`, values);
    if (answer?.status === 507) return Math.round((write * VALUES * VALUE_LENGTH) / 1e6);
    if (answer?.status !== 200) throw new Error(`PUT of long values: ${answer?.status}`);
  }
  throw new Error(`${WRITES_MAX} writes did not fill the volume`);
}
