import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, type FaultContext, type Figure, outcomeOf } from './fault.ts';
import { attack, type SlowKind, type SlowResult, slowKinds } from './slow-http-test.ts';
import { type Seen, SoakHouse } from './soak-house.ts';

const FLEET = { readers: 10, tagsPerReader: 200 } as const;
const PACE = { readsPerSecond: 500, readsPerMessage: 10 } as const;
const CONNECTIONS = 400;
const CONNECTIONS_QUICK = 100;
/** Headers have 10 s, and are looked at every 2. */
const SECONDS = 20;
/** Below 200 kB a connection; a page of the documentation has 1.7 MB. */
const MEMORY_MARGIN_MB = 64;
const DESCRIPTORS_MARGIN = 20;
const GONE_MS = 20_000;
const P99_MAX_MS = 500;
/** On a machine that is slow without any of this, so much slower than that. */
const P99_TIMES_MAX = 3;

/** Clients that send and read a few bytes a second. */
export const slowHttp: Fault = {
  name: 'slow-http',
  must: `REST goes on for others (none fails, p99 ≤ ${P99_MAX_MS} ms or ${P99_TIMES_MAX} times that without), memory stays within ${MEMORY_MARGIN_MB} MB, headers that do not come are cut, no connection is left`,
  async run(context: FaultContext) {
    if (spawnSync('slowhttptest', ['-h']).error)
      return outcomeOf([], ['slowhttptest is not there: apt-get install slowhttptest']);
    const house = await SoakHouse.open({ folder: context.folder, fleet: FLEET });
    try {
      await house.connect();
      house.fleet.start(PACE);
      return await attacks(house, context);
    } finally {
      await house.close();
    }
  },
};

interface Attacked {
  readonly kind: SlowKind;
  readonly result: SlowResult;
  readonly seen: Seen;
  readonly beforeMb: number;
  readonly mostMb: number;
  /** Descriptors less before, some seconds after the end. */
  readonly left: number;
}

async function attacks(house: SoakHouse, context: FaultContext) {
  const { quick, log, signal } = context;
  const quiet = await house.during(() => sleep(quick ? 3000 : 20_000, undefined, { signal }));
  const done: Attacked[] = [];
  for (const kind of slowKinds(house.target.endpoints)) {
    const one = await underAttack(house, context, kind);
    const { rest } = one.seen;
    log(
      `${kind.name}: ${one.result.closed} closed, REST p99 ${rest.p99Ms.toFixed(0)} ms, ${one.mostMb.toFixed(0)} MB`,
    );
    done.push(one);
  }
  const faults = [...done.flatMap((one) => contradictions(one, quiet)), ...(await house.lost())];
  const before = { what: 'REST p99 without', value: `${quiet.rest.p99Ms.toFixed(0)} ms` };
  return outcomeOf([before, ...done.map(figure)], faults);
}

async function underAttack(
  house: SoakHouse,
  { quick, signal }: FaultContext,
  kind: SlowKind,
): Promise<Attacked> {
  const { descriptors } = house;
  const beforeMb = house.megabytes;
  const memory = house.watchMemory();
  const size = {
    connections: quick ? CONNECTIONS_QUICK : CONNECTIONS,
    seconds: SECONDS,
  };
  const results: SlowResult[] = [];
  const seen = await house.during(async () => void results.push(await attack(kind, size, signal)));
  const mostMb = memory.stop();
  const limit = performance.now() + GONE_MS;
  while (house.descriptors > descriptors + DESCRIPTORS_MARGIN && performance.now() < limit) await sleep(200);
  const [result = { connected: 0, closed: 0, failed: 0 }] = results;
  return { kind, result, seen, beforeMb, mostMb, left: house.descriptors - descriptors };
}

function figure({ kind, result, seen: { rest }, beforeMb, mostMb }: Attacked): Figure {
  const { connected, closed } = result;
  const memory = `memory ${beforeMb.toFixed(0)} → ${mostMb.toFixed(0)} MB`;
  return {
    what: kind.name,
    value: `${closed} closed and ${connected} open at the end, REST p99 ${rest.p99Ms.toFixed(0)} ms, ${memory}`,
  };
}

function contradictions(
  { kind, result, seen, beforeMb, mostMb, left }: Attacked,
  quiet: Seen,
): readonly string[] {
  const { rest } = seen;
  const faults: string[] = [];
  if (rest.failed > 0) faults.push(`${rest.failed} of ${rest.requests} REST requests failed`);
  if (!(rest.p99Ms <= Math.max(P99_MAX_MS, P99_TIMES_MAX * quiet.rest.p99Ms)))
    faults.push(`REST p99 was ${rest.p99Ms.toFixed(0)} ms`);
  if (mostMb > beforeMb + MEMORY_MARGIN_MB)
    faults.push(`memory grew by ${(mostMb - beforeMb).toFixed(0)} MB`);
  if (kind.isCut && result.closed === 0) faults.push('not one connection was cut');
  if (result.closed + result.connected === 0) faults.push('slowhttptest had no connection at all');
  if (left > DESCRIPTORS_MARGIN) faults.push(`${left} connections are left`);
  return faults.map((fault) => `${kind.name}: ${fault}`);
}
