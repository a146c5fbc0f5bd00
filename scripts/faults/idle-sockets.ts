import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, type FaultContext, type Figure, outcomeOf } from './fault.ts';
import { type IdleKind, type IdleSockets, idleKinds, openIdle } from './idle-sockets-clients.ts';
import { type Seen, SoakHouse } from './soak-house.ts';

const READERS = 10;
const PACE = { readsPerSecond: 500, readsPerMessage: 10 } as const;
/** The handshake's and CONNECT's 10 s one after the other, or a handshake and the headers of a request; and the time of looking. */
const LIFE_MAX_S = 25;
/** A leak of 12 kB a connection would be more in three rounds. */
const MEMORY_MARGIN_MB = 48;
const MEMORY_SECONDS = 10;
const DESCRIPTORS_MARGIN = 20;
const P99_MAX_MS = 500;
/** On a machine that is slow without any of this, so much slower than that. */
const P99_TIMES_MAX = 3;

/** Connections on every port that never get on with what they came for. */
export const idleSockets: Fault = {
  name: 'idle-sockets',
  must: `readers and REST go on (p99 ≤ ${P99_MAX_MS} ms, or ${P99_TIMES_MAX} times that without), every idle connection is closed within ${LIFE_MAX_S} s, memory after the last round is within ${MEMORY_MARGIN_MB} MB of that after the first, no descriptor is left`,
  async run(context: FaultContext) {
    const tagsPerReader = 200;
    const fleet = { readers: READERS, tagsPerReader };
    // A certificate name may have 16 connections: 500 need 40 names, each with room for its own two.
    const house = await SoakHouse.open({ folder: context.folder, fleet, readers: 50 });
    try {
      await house.connect();
      house.fleet.start(PACE);
      return await crowd(house, context);
    } finally {
      await house.close();
    }
  },
};

interface Round {
  readonly seen: Seen;
  readonly kinds: readonly { readonly kind: IdleKind; readonly idle: IdleSockets }[];
  readonly mostMb: number;
  readonly afterMb: number;
  /** Descriptors less before the round. */
  readonly left: number;
}

interface Rounds {
  readonly quiet: Seen;
  readonly rounds: readonly Round[];
}

async function crowd(house: SoakHouse, context: FaultContext) {
  const { quick, log, signal } = context;
  const quiet = await house.during(() => sleep(quick ? 3000 : 15_000, undefined, { signal }));
  const rounds: Round[] = [];
  // A process that has just started grows whatever it does; what is lost is lost anew in every round.
  for (let nth = 1; nth <= (quick ? 2 : 4); nth++) {
    const round = await oneRound(house, context);
    log(
      `round ${nth}: memory ${round.mostMb.toFixed(0)} MB at most, ${round.afterMb.toFixed(0)} MB after it`,
    );
    rounds.push(round);
  }
  const all = { quiet, rounds };
  return outcomeOf(figures(all), [...contradictions(all, house), ...(await house.lost())]);
}

async function oneRound(house: SoakHouse, { quick, signal }: FaultContext): Promise<Round> {
  const { descriptors } = house;
  const memory = house.watchMemory();
  const kinds: { kind: IdleKind; idle: IdleSockets }[] = [];
  for (const kind of idleKinds(house, quick ? 5 : 1)) kinds.push({ kind, idle: await openIdle(kind) });
  const seen = await house.during(() => untilGone(kinds, signal));
  const mostMb = memory.stop();
  const afterMb = await house.leastMegabytes(MEMORY_SECONDS);
  return { seen, kinds, mostMb, afterMb, left: house.descriptors - descriptors };
}

async function untilGone(kinds: Round['kinds'], signal: AbortSignal): Promise<void> {
  const limit = performance.now() + LIFE_MAX_S * 1000;
  while (performance.now() < limit && kinds.some(({ idle }) => idle.open > 0))
    await sleep(100, undefined, { signal });
}

function figures({ quiet, rounds }: Rounds): readonly Figure[] {
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  const worst = (of: (seen: Seen) => number): string => ms(Math.max(...rounds.map(({ seen }) => of(seen))));
  const kinds = rounds[0]?.kinds ?? [];
  const longest = (nth: number): number =>
    Math.max(...rounds.map((round) => round.kinds[nth]?.idle.longestMs ?? 0));
  return [
    { what: 'rounds', value: String(rounds.length) },
    { what: 'REST p99', value: `${ms(quiet.rest.p99Ms)} → ${worst(({ rest }) => rest.p99Ms)}` },
    { what: 'PUBACK p99', value: `${ms(quiet.answersP99Ms)} → ${worst(({ answersP99Ms }) => answersP99Ms)}` },
    ...kinds.map(({ kind }, nth) => ({
      what: `${kind.count} × ${kind.name}`,
      value: `gone after ${(longest(nth) / 1000).toFixed(1)} s at most`,
    })),
    { what: 'most memory', value: `${Math.max(...rounds.map(({ mostMb }) => mostMb)).toFixed(0)} MB` },
    {
      what: 'memory after each round',
      value: `${rounds.map(({ afterMb }) => afterMb.toFixed(0)).join(', ')} MB`,
    },
  ];
}

function contradictions({ quiet, rounds }: Rounds, house: SoakHouse): readonly string[] {
  const faults = rounds.flatMap((round) => contradictionsOf(round, quiet));
  if (house.fleet.connections !== READERS)
    faults.push(`readers connected ${house.fleet.connections} times instead of ${READERS}`);
  const first = rounds[0]?.afterMb ?? 0;
  const last = rounds.at(-1)?.afterMb ?? 0;
  if (last > first + MEMORY_MARGIN_MB)
    faults.push(
      `memory was ${first.toFixed(0)} MB after the first round and ${last.toFixed(0)} MB after the last`,
    );
  return faults;
}

function contradictionsOf({ seen: { rest, answersP99Ms }, kinds, left }: Round, quiet: Seen): string[] {
  const bar = (quietMs: number): number => Math.max(P99_MAX_MS, P99_TIMES_MAX * quietMs);
  const faults = kinds.flatMap(({ kind, idle }) => [
    ...(idle.open > 0 ? [`${idle.open} of ${kind.count} ${kind.name} are open after ${LIFE_MAX_S} s`] : []),
    ...(idle.refused > 0 ? [`${idle.refused} of ${kind.count} ${kind.name} were refused`] : []),
  ]);
  if (rest.failed > 0) faults.push(`${rest.failed} of ${rest.requests} REST requests failed`);
  if (!(rest.p99Ms <= bar(quiet.rest.p99Ms))) faults.push(`REST p99 was ${rest.p99Ms.toFixed(0)} ms`);
  if (!(answersP99Ms <= bar(quiet.answersP99Ms))) faults.push(`PUBACK p99 was ${answersP99Ms.toFixed(0)} ms`);
  // The store, a probe and REST have some of their own that come and go.
  if (left > DESCRIPTORS_MARGIN) faults.push(`${left} descriptors more after a round than before it`);
  return faults;
}
