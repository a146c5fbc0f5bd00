import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type LocationRead, type Placement, stepLocation, unplaced } from '../../src/domain/location.ts';
import type { LocationPolicy, ZoneKind } from '../../src/domain/zone.ts';

const inside = 1;
const outside = 2;

export interface Sighting {
  readonly at: number;
  readonly zone: number;
  readonly rssiCdbm: number;
}

/** All reads of one tag in one run, in time order. `trueZone` is null for a carried tag. */
export interface Sequence {
  readonly run: number;
  readonly epc: string;
  readonly trueZone: number | null;
  readonly reads: readonly Sighting[];
}

const folder = new URL('../corpus/dock-door/', import.meta.url);
const runs = [1, 2, 3];

function microseconds(iso: string): number {
  return Date.parse(`${iso.slice(0, 23)}Z`) + Number(iso.slice(23, 26)) / 1000;
}

function loadTruth(): Map<string, string> {
  const lines = readFileSync(new URL('truth.csv', folder), 'utf8').trim().split(/\r?\n/).slice(1);
  return new Map(lines.map((line) => line.split(',') as [string, string])); // two columns, checked by the tests' counts
}

function loadRun(run: number, truth: Map<string, string>): Sequence[] {
  const byTag = new Map<string, Sighting[]>();
  for (const line of gunzipSync(readFileSync(new URL(`run-${run}.ndjson.gz`, folder)))
    .toString()
    .trim()
    .split('\n')) {
    const { epcHex, antennaPort, peakRssiCdbm, lastSeenTime } = JSON.parse(line).tagInventoryEvent;
    const reads = byTag.get(epcHex) ?? [];
    reads.push({
      at: microseconds(lastSeenTime),
      zone: antennaPort <= 2 ? inside : outside,
      rssiCdbm: peakRssiCdbm,
    });
    byTag.set(epcHex, reads);
  }
  return [...byTag].flatMap(([epc, reads]) => {
    const known = truth.get(epc);
    if (known === undefined) return [];
    const trueZone = known === 'moving' ? null : Number(known) > 0 ? inside : outside;
    return [{ run, epc, trueZone, reads: reads.sort((a, b) => a.at - b.at) }];
  });
}

/** The recording: 212 sequences of standing tags, 300 of carried ones. */
export function loadDockDoor(): Sequence[] {
  const truth = loadTruth();
  return runs.flatMap((run) => loadRun(run, truth));
}

export interface Rules {
  readonly kind: ZoneKind;
  readonly policy: LocationPolicy;
}

/** The zone the tag is in after each read. `forgetAt` empties the evidence before that read, as a restart does. */
export function follow(reads: readonly Sighting[], rules: Rules, forgetAt = -1): number[] {
  let placement: Placement = unplaced;
  return reads.map((read, i) => {
    if (i === forgetAt) placement = { ...placement, evidence: [] };
    placement = stepLocation(placement, { ...read, ...rules } satisfies LocationRead).placement;
    return placement.zone;
  });
}

export interface Score {
  readonly sequences: number;
  readonly falseMoves: number;
  readonly flickerPercent: number;
  readonly wrongTimePercent: number;
}

/** False moves, flicker and wrong time of the standing tags, as the recording's README defines them. */
export function scoreStanding(sequences: readonly Sequence[], rules: Rules): Score {
  let falseMoves = 0;
  let flickering = 0;
  let wrongMs = 0;
  let totalMs = 0;
  const standing = sequences.filter(({ trueZone }) => trueZone !== null);
  for (const { reads, trueZone } of standing) {
    const zones = follow(reads, rules);
    const moves = zones.filter((zone, i) => i > 0 && zone !== zones[i - 1]).length;
    falseMoves += moves;
    if (moves > 0) flickering++;
    reads.slice(1).forEach((read, i) => {
      const gap = Math.min(30_000, read.at - (reads[i]?.at ?? read.at));
      totalMs += gap;
      if (zones[i] !== trueZone) wrongMs += gap;
    });
  }
  return {
    sequences: standing.length,
    falseMoves,
    flickerPercent: (100 * flickering) / standing.length,
    wrongTimePercent: (100 * wrongMs) / totalMs,
  };
}

/** Where the carried tags are, by the second, as far as nearly all of them agree: they go in and out together. */
function carriedSides(sequences: readonly Sequence[]): Map<number, number> {
  const counts = new Map<number, { in: number; out: number }>();
  for (const { reads } of sequences) {
    for (const { at, zone } of reads) {
      for (const second of [-1, 0, 1].map((d) => Math.floor(at / 1000) + d)) {
        const count = counts.get(second) ?? { in: 0, out: 0 };
        count[zone === inside ? 'in' : 'out']++;
        counts.set(second, count);
      }
    }
  }
  const clear = [...counts].filter(
    ([, c]) => c.in + c.out >= 6 && Math.max(c.in, c.out) >= 0.85 * (c.in + c.out),
  );
  return new Map(clear.map(([second, c]) => [second, c.in > c.out ? inside : outside]));
}

/** How well carried tags are followed: share of reads at which the tag is where the whole lot is, changes of zone per tag,
 * and share of tags that end in the zone of most of their last five seconds of reads. */
export function scoreCarried(sequences: readonly Sequence[], rules: Rules) {
  const tally = { agree: 0, clear: 0, moves: 0, endRight: 0, ended: 0 };
  const carried = sequences.filter(({ trueZone }) => trueZone === null);
  for (const run of runs) {
    const ofRun = carried.filter((sequence) => sequence.run === run);
    const sides = carriedSides(ofRun);
    for (const { reads } of ofRun) {
      const zones = follow(reads, rules);
      tally.moves += zones.filter((zone, i) => i > 0 && zone !== zones[i - 1]).length;
      reads.forEach(({ at }, i) => {
        const side = sides.get(Math.floor(at / 1000));
        if (side === undefined) return;
        tally.clear++;
        if (side === zones[i]) tally.agree++;
      });
      const end = reads.at(-1)?.at ?? 0;
      const last = reads.filter(({ at }) => at > end - 5000);
      const ins = last.filter(({ zone }) => zone === inside).length;
      if (2 * ins === last.length) continue;
      tally.ended++;
      if (zones.at(-1) === (2 * ins > last.length ? inside : outside)) tally.endRight++;
    }
  }
  return {
    agreePercent: (100 * tally.agree) / tally.clear,
    movesPerTag: tally.moves / carried.length,
    endRightPercent: (100 * tally.endRight) / tally.ended,
  };
}

/** Real moves made of real reads: a standing tag's sequence, five seconds later one of a tag on the other side. */
function spliceMoves(sequences: readonly Sequence[]) {
  const clear = sequences.filter(({ reads, trueZone }) => {
    const right = reads.filter(({ zone }) => zone === trueZone).length;
    return trueZone !== null && reads.length >= 20 && right >= 0.8 * reads.length;
  });
  return clear.flatMap((first, i) => {
    const others = clear.filter(({ trueZone }) => trueZone !== first.trueZone);
    const then = others[(i * 37) % others.length];
    const cutAt = (first.reads.at(-1)?.at ?? 0) + 5000;
    const shift = cutAt - (then?.reads[0]?.at ?? 0);
    const tail = (then?.reads ?? []).map((read) => ({ ...read, at: read.at + shift }));
    return [{ cutAt, to: then?.trueZone, reads: [...first.reads, ...tail], cut: first.reads.length }];
  });
}

/** Time from a real move to the tag's arrival, seconds, and the share that arrived and stayed. */
export function scoreMoves(sequences: readonly Sequence[], rules: Rules) {
  const moves = spliceMoves(sequences);
  const seconds: number[] = [];
  for (const { reads, to, cut, cutAt } of moves) {
    const zones = follow(reads, rules);
    if (zones.at(-1) !== to) continue;
    const arrived = zones.findIndex((zone, i) => i >= cut && zone === to);
    seconds.push(((reads[arrived]?.at ?? cutAt) - cutAt) / 1000);
  }
  seconds.sort((a, b) => a - b);
  const quantile = (share: number) => seconds[Math.floor(share * (seconds.length - 1))] ?? Number.NaN;
  return {
    moves: moves.length,
    arrived: seconds.length,
    medianSeconds: quantile(0.5),
    p90Seconds: quantile(0.9),
  };
}
