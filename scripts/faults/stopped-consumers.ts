import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../test/support/wait.ts';
import { Metrics } from '../bench/metrics.ts';
import { type Fault, type FaultContext, type FaultOutcome, outcomeOf } from './fault.ts';
import { SoakHouse } from './soak-house.ts';
import { ConsumerProcess, type Heard } from './stopped-consumers-stream.ts';

const FLEET = { readers: 10, tagsPerReader: 500 } as const;
const PACE = { readsPerSecond: 1000, readsPerMessage: 10 } as const;
const READING = 5;
const STOPPED = 20;
const HEARTBEAT_S = 5;
/** Four heartbeats without a byte read, and the time to see it. */
const CUT_MAX_S = 6 * HEARTBEAT_S;
const HEARD_SHARE_MIN = 0.8;
/** What the kernel holds for a connection comes first: 4 MB to be sent, and what the other end takes unread. */
const BEHIND_MAX_MS = 180_000;
/** Twenty times the 256 kB that may wait for each, and what a process grows by that has just started. */
const MEMORY_MARGIN_MB = 64;

/** Programs on the live stream that are stopped in the middle of it. */
export const stoppedConsumers: Fault = {
  name: 'stopped-consumers',
  must: `${READING} others hear every event; memory stays within ${MEMORY_MARGIN_MB} MB; who goes on is told with resync that events are missing; who does not is cut within ${CUT_MAX_S} s`,
  async run(context: FaultContext) {
    if (spawnSync('curl', ['--version']).error)
      return outcomeOf([], ['curl is not there: apt-get install curl']);
    const env = { TAGKEEP_LIVE__HEARTBEAT_SECONDS: String(HEARTBEAT_S) };
    const house = await SoakHouse.open({ folder: context.folder, fleet: FLEET, env });
    const consumers: ConsumerProcess[] = [];
    try {
      await house.connect();
      for (let nth = 0; nth < READING + STOPPED; nth++) consumers.push(consumer(house, context, nth));
      return await stopSome(house, consumers, context);
    } finally {
      await Promise.all(consumers.map((one) => one.end()));
      await house.close();
    }
  },
};

function consumer(house: SoakHouse, { folder }: FaultContext, nth: number): ConsumerProcess {
  const { origin } = house.target;
  const file = join(folder, `stream-${nth}`);
  return new ConsumerProcess(`${origin}/api/v1/events/stream`, { apiKey: house.site.apiKey, file });
}

async function stopSome(
  house: SoakHouse,
  consumers: readonly ConsumerProcess[],
  { quick, log, signal }: FaultContext,
): Promise<FaultOutcome> {
  await openStreams(house, (count) => count === consumers.length, 20_000);
  const reading = consumers.slice(0, READING);
  const [back, gone] = [consumers.slice(READING, READING + STOPPED / 2), consumers.slice(-STOPPED / 2)];
  house.fleet.start(PACE);
  await sleep(quick ? 3000 : 20_000, undefined, { signal });
  const beforeMb = house.megabytes;
  const memory = house.watchMemory();
  const stoppedAt = performance.now();
  for (const one of [...back, ...gone]) one.stop();
  await untilBehind(house, signal);
  const behindMs = performance.now() - stoppedAt;
  log(`${STOPPED} consumers get nothing any more after ${seconds(behindMs)}; ${back.length} go on`);
  for (const one of back) one.go();
  await openStreams(house, (count) => count <= READING + back.length, BEHIND_MAX_MS);
  const cutMs = performance.now() - stoppedAt - behindMs;
  log(`the others were cut ${seconds(cutMs)} later`);
  for (const one of gone) one.go();
  const mostMb = memory.stop();
  const lost = await house.lost();
  await untilHeard(reading, house.fleet.ledger.acknowledged);
  const heard = {
    ...{ reading: await allHeard(reading), back: await allHeard(back), gone: await allHeard(gone) },
    ended: gone.filter(({ ended }) => ended).length,
  };
  const { acknowledged } = house.fleet.ledger;
  const dropped = (await Metrics.of(house.target.origin)).get('tagkeep_stream_dropped_total');
  return outcomeOf(
    [
      { what: 'reads acknowledged', value: String(acknowledged) },
      { what: 'of which others heard', value: heard.reading.map(({ reads }) => reads).join(' ') },
      { what: 'behind after', value: seconds(behindMs) },
      { what: 'cut after', value: seconds(cutMs) },
      { what: 'events dropped', value: String(dropped) },
      { what: 'resync told to those who went on', value: heard.back.map((one) => one.resyncs).join(' ') },
      { what: 'memory before, most', value: `${beforeMb.toFixed(0)}, ${mostMb.toFixed(0)} MB` },
    ],
    [
      ...lost,
      ...contradictions(heard, acknowledged),
      ...(cutMs > CUT_MAX_S * 1000 ? [`consumers were cut only after ${seconds(cutMs)}`] : []),
      ...(mostMb > beforeMb + MEMORY_MARGIN_MB
        ? [`memory grew by ${(mostMb - beforeMb).toFixed(0)} MB`]
        : []),
    ],
  );
}

interface AllHeard {
  readonly reading: readonly Heard[];
  readonly back: readonly Heard[];
  readonly gone: readonly Heard[];
  /** How many of the gone know that they are. */
  readonly ended: number;
}

function contradictions({ reading, back, gone, ended }: AllHeard, acknowledged: number): readonly string[] {
  const faults: string[] = [];
  const most = Math.max(...reading.map(({ reads }) => reads));
  for (const { reads, resyncs, gapsInSilence } of reading) {
    if (reads !== most) faults.push(`a consumer that read heard of ${reads} reads, another one of ${most}`);
    if (resyncs + gapsInSilence > 0) faults.push('a consumer that read missed events');
  }
  // Not each: reads of one tag that come within a second, as after a stall, are one event.
  if (most < HEARD_SHARE_MIN * acknowledged)
    faults.push(`consumers that read heard of ${most} of ${acknowledged} reads`);
  for (const { resyncs, sinceResync, gapsInSilence } of [...back, ...gone])
    if (gapsInSilence > 0) faults.push(`${gapsInSilence} gaps of which a stopped consumer was not told`);
    else if (resyncs > 0 && sinceResync === 0) faults.push('nothing came after a resync');
  const untold = back.filter(({ resyncs }) => resyncs === 0).length;
  if (untold > 0) faults.push(`${untold} consumers that went on were never told of what they missed`);
  if (ended < gone.length) faults.push(`${gone.length - ended} consumers that were cut do not know of it`);
  return faults;
}

async function openStreams(
  house: SoakHouse,
  enough: (count: number) => boolean,
  timeoutMs: number,
): Promise<void> {
  const count = async (): Promise<number> =>
    (await Metrics.of(house.target.origin)).get('tagkeep_stream_consumers');
  await until('the streams to be open, or closed', async () => enough(await count()), timeoutMs);
}

/** Resolves when of what is published everything is dropped for all that are stopped. */
async function untilBehind({ target }: SoakHouse, signal: AbortSignal): Promise<void> {
  const limit = performance.now() + BEHIND_MAX_MS;
  for (let before = await Metrics.of(target.origin); performance.now() < limit; ) {
    await sleep(500, undefined, { signal });
    const after = await Metrics.of(target.origin);
    const published = after.since(before, 'tagkeep_stream_delivered_total') / READING;
    const dropped = after.since(before, 'tagkeep_stream_dropped_total');
    if (published > 0 && dropped >= STOPPED * published) return;
    before = after;
  }
  throw new Error('consumers that were stopped get events all the same');
}

async function untilHeard(consumers: readonly ConsumerProcess[], reads: number): Promise<void> {
  const all = async (): Promise<boolean> =>
    (await allHeard(consumers)).every((heard) => heard.reads >= reads);
  // What is missing is told in detail by whoever looks next.
  await until('every read to be heard of', all, 15_000).catch(() => {});
}

function allHeard(consumers: readonly ConsumerProcess[]): Promise<Heard[]> {
  return Promise.all(consumers.map((one) => one.heard()));
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
