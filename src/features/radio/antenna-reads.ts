import type { AntennaReads } from '../../contract/radio.ts';
import { Pace } from '../../lib/pace.ts';
import type { RadioSources } from './radio-sources.ts';
import { SignalSpread } from './signal-spread.ts';
import { antennasOf, eachRead, type HeardAntenna, type Window, windowOf } from './window.ts';

const SECOND_MS = 1000;

/** What one antenna heard. */
class Tally {
  reads = 0;
  readonly tags = new Set<number>();
  readonly spread = new SignalSpread();
}

/** What every antenna port of an organisation heard in the last seconds, silent ones too. */
export async function antennaReads(
  { directory, recent, now }: RadioSources,
  orgId: string,
  seconds: number,
): Promise<readonly AntennaReads[]> {
  const antennas = antennasOf(directory, orgId);
  const window = windowOf(recent, seconds, now());
  const tallies = new Map<number, Tally>();
  await eachRead(recent, window, (no) => {
    const antennaNo = recent.antennaNo(no);
    if (!antennas.has(antennaNo)) return;
    const tally = tallies.get(antennaNo) ?? new Tally();
    if (tally.reads === 0) tallies.set(antennaNo, tally);
    tally.reads += recent.count(no);
    tally.tags.add(recent.tagNo(no));
    tally.spread.add(recent.rssiCdbm(no));
  });
  const pace = new Pace();
  const answer: AntennaReads[] = [];
  for (const antenna of antennas.values()) {
    if (pace.due) await pace.pause();
    answer.push(shown(antenna, tallies.get(antenna.antennaNo), window));
  }
  return answer;
}

function shown(
  { readerId, readerName, port, zone }: HeardAntenna,
  tally: Tally | undefined,
  { from, to }: Window,
): AntennaReads {
  const reads = tally?.reads ?? 0;
  // Memory may reach back less far than asked; in the first second nothing can be said of a rate.
  const elapsed = Math.max(SECOND_MS, to - from) / SECOND_MS;
  return {
    ...{ readerId, readerName, port, zoneId: zone?.id ?? null, zoneName: zone?.name ?? null, reads },
    readsPerSecond: Math.round((reads / elapsed) * 100) / 100,
    tags: tally?.tags.size ?? 0,
    rssiCdbm: tally?.spread.answer() ?? null,
  };
}
