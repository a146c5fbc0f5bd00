import { allTags } from '../../test/support/rest-pages.ts';
import { until } from '../../test/support/wait.ts';
import { FakeClock } from './fake-clock.ts';
import { type Fault, type FaultContext, type FaultOutcome, type Figure, outcomeOf } from './fault.ts';
import { count } from './figures.ts';
import type { Party } from './party.ts';
import { Site } from './site.ts';

const LIFE_MS = 6000;
const BACK_MS = 150_000;
const ASSET = 'Watched';

interface Scene {
  readonly site: Site;
  readonly clock: FakeClock;
  readonly faults: string[];
  readonly figures: Figure[];
  readonly log: (line: string) => void;
}

/** A clock that is set wrong, and right again. */
export const clock: Fault = {
  name: 'clock',
  must: 'a clock set a year ahead, 800 days ahead over a restart, or an hour back, and right again: alive, no acknowledged read or write lost, nothing thrown away, presence and missing assets come right by themselves, readers are let in again within two minutes',
  async run(context: FaultContext): Promise<FaultOutcome> {
    const fake = FakeClock.in(context.folder);
    if (!fake)
      return { held: false, figures: [], faults: ['libfaketime is not there: apt-get install faketime'] };
    const site = await Site.open({ seed: context.seed, env: fake.env });
    const scene = { site, clock: fake, faults: [], figures: [], log: context.log };
    try {
      await runAll(scene, context.signal);
      return outcomeOf(scene.figures, scene.faults);
    } finally {
      await site.close();
    }
  },
};

async function runAll(scene: Scene, signal: AbortSignal): Promise<void> {
  const { site, figures } = scene;
  await site.load();
  await site.goesOn();
  for (const party of site.parties) await watchAsset(party);
  const trail = await trailOf(site);
  const steps = [
    () => wrong(scene, '+365d'),
    () => wrongOverRestart(scene, '+800d'),
    () => wrong(scene, '-1h'),
  ];
  for (const step of steps) {
    signal.throwIfAborted();
    await step();
  }
  await site.settle();
  const kept = await trailOf(site);
  if (kept < trail) scene.faults.push(`${trail} visits and values of the past were there, ${kept} are left`);
  figures.push(
    {
      what: 'reads acknowledged',
      value: `${count(site.acknowledged)} of ${count(site.acknowledgedTags)} tags`,
    },
    { what: 'REST writes answered', value: count(site.written) },
    { what: 'visits and past values before and after', value: `${count(trail)}, ${count(kept)}` },
  );
}

/** Set while all is running, and right again. */
async function wrong(scene: Scene, offset: string): Promise<void> {
  const { site, clock: fake } = scene;
  fake.set(offset);
  await site.goesOn();
  await new Promise((resolve) => setTimeout(resolve, LIFE_MS));
  await site.goesOn();
  const seen = await describe(site);
  // Whoever was connected stays; whether somebody new gets in depends on the certificates.
  await site.leave();
  const isIn = await site.load().then(
    () => true,
    () => false,
  );
  await site.leave();
  fake.set('+0');
  const backMs = await comesRight(scene);
  told(
    scene,
    offset,
    `${seen}, readers let in meanwhile: ${isIn ? 'yes' : 'no'}, right after ${seconds(backMs)}`,
  );
}

/** A box that boots with a wrong clock, which is put right while it runs. */
async function wrongOverRestart(scene: Scene, offset: string): Promise<void> {
  const { site, clock: fake } = scene;
  await site.leave();
  await site.stop('SIGKILL');
  fake.set(offset);
  await site.start();
  const isIn = await site.load().then(
    () => true,
    () => false,
  );
  await new Promise((resolve) => setTimeout(resolve, LIFE_MS));
  const seen = await describe(site);
  await site.leave();
  fake.set('+0');
  const backMs = await comesRight(scene);
  const what = `${offset} over a restart`;
  told(
    scene,
    what,
    `${seen}, readers let in meanwhile: ${isIn ? 'yes' : 'no'}, right after ${seconds(backMs)}`,
  );
}

/** The clock is right: readers get in, everything acknowledged is there and present; how long it took. */
async function comesRight(scene: Scene): Promise<number> {
  const { site, faults } = scene;
  const at = performance.now();
  await until('readers to be let in again', () => site.load().then(() => true), BACK_MS);
  await site.goesOn();
  await until(
    'assets to be found again',
    async () => (await watched(site)).every((s) => s === 'available'),
    30_000,
  );
  const ms = performance.now() - at;
  await site.settle();
  for (const party of site.parties) faults.push(...(await faultsOf(site, party)));
  return ms;
}

/** A clock that was wrong gives reads that came meanwhile the time of their arrival, so that only what is there is compared. */
async function faultsOf(site: Site, party: Party): Promise<readonly string[]> {
  const tags = await allTags(site.endpoints, party.rest);
  const missing = party.ledger.missingFrom(new Set(tags.map(({ epc }) => epc)));
  return [
    ...missing.map((epc) => `${party.name}: ${epc} was acknowledged and is gone`),
    ...(await party.inventoryFaults(tags)),
    ...(await party.writer.faults()),
  ];
}

/** An asset on a tag that is read all the time: it goes missing and is found by the clock. */
async function watchAsset({ rest, name, seenEpc }: Party): Promise<void> {
  const made = { name: ASSET, assetTagNumber: `${name}-watched`, epc: seenEpc };
  await rest.ok('POST', '/assets', made);
}

async function watched(site: Site): Promise<readonly string[]> {
  const all = await Promise.all(
    site.parties.map(({ rest }) => rest.get<readonly { name: string; status: string }[]>('/assets')),
  );
  return all.flatMap((assets) => assets.filter(({ name }) => name === ASSET).map(({ status }) => status));
}

/** What a wrong clock makes of things, in words. */
async function describe(site: Site): Promise<string> {
  const [party] = site.parties;
  const zones = (await party?.rest.get<readonly { total: number }[]>('/inventory/summary')) ?? [];
  const alerts = (await party?.rest.get<readonly object[]>('/alerts?state=open')) ?? [];
  const present = zones.reduce((sum, { total }) => sum + total, 0);
  return `${present} tags present, assets ${(await watched(site)).join(' and ')}, ${alerts.length} alerts`;
}

/** Visits and former values of a tag of every organisation: what retention would take. */
async function trailOf(site: Site): Promise<number> {
  const lists = site.parties.flatMap(({ rest, seenEpc, writtenEpc }) => [
    rest.get<readonly object[]>(`/tags/${seenEpc}/visits`),
    rest.get<readonly object[]>(`/tags/${writtenEpc}/history`),
  ]);
  return (await Promise.all(lists)).reduce((sum, list) => sum + list.length, 0);
}

function told({ figures, log, faults }: Scene, what: string, value: string): void {
  figures.push({ what, value });
  log(`${what}: ${value}; ${faults.length} faults`);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
