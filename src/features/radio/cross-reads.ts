import type { CrossReads } from '../../contract/radio.ts';
import { limits } from '../../domain/limits.ts';
import { formatInstant } from '../../lib/instant.ts';
import { Pace } from '../../lib/pace.ts';
import type { RadioSources } from './radio-sources.ts';
import { antennasOf, eachRead, windowOf, zonesByName } from './window.ts';

/** How one zone heard one tag. */
interface Heard {
  readonly zoneNo: number;
  /** Of the signal strengths that are known. */
  sum: number;
  known: number;
}

/** Mean over tags of their means, while it is counted. */
interface Mean {
  sum: number;
  tags: number;
}

interface Pair {
  readonly low: number;
  readonly high: number;
  tags: number;
  readonly ofLow: Mean;
  readonly ofHigh: Mean;
}

type HeardByTag = ReadonlyMap<number, readonly Heard[]>;

/** Which zones of an organisation heard the same tags in the last seconds. An antenna counts for the zone it watches now. */
export async function crossReads(
  { directory, recent, now }: RadioSources,
  orgId: string,
  seconds: number,
): Promise<CrossReads> {
  const antennas = antennasOf(directory, orgId);
  const zones = zonesByName(directory, orgId);
  const window = windowOf(recent, seconds, now());
  const byTag = new Map<number, Heard[]>();
  let reads = 0;
  await eachRead(recent, window, (no) => {
    const zoneNo = antennas.get(recent.antennaNo(no))?.zone?.no;
    if (zoneNo === undefined) return;
    reads += recent.count(no);
    take(byTag, { tagNo: recent.tagNo(no), zoneNo, rssiCdbm: recent.rssiCdbm(no) });
  });
  const { tags, pairs } = await paired(byTag);
  const idOf = new Map(zones.map(({ no, id }) => [no, id]));
  const shown = [...pairs.values()]
    .sort((a, b) => b.tags - a.tags || a.low - b.low || a.high - b.high)
    .slice(0, limits.radioPairsPerAnswer);
  return {
    ...{ from: formatInstant(window.from), to: formatInstant(window.to), reads },
    zones: zones.map(({ id, name, no }) => ({ zoneId: id, zoneName: name, tags: tags.get(no) ?? 0 })),
    pairs: shown.flatMap((pair) => pairView(pair, idOf) ?? []),
  };
}

function take(
  byTag: Map<number, Heard[]>,
  { tagNo, zoneNo, rssiCdbm }: { tagNo: number; zoneNo: number; rssiCdbm: number | null },
): void {
  const zones = byTag.get(tagNo) ?? [];
  if (zones.length === 0) byTag.set(tagNo, zones);
  let heard = zones.find((one) => one.zoneNo === zoneNo);
  if (!heard) {
    heard = { zoneNo, sum: 0, known: 0 };
    zones.push(heard);
  }
  if (rssiCdbm === null) return;
  heard.sum += rssiCdbm;
  heard.known++;
}

interface Paired {
  readonly tags: ReadonlyMap<number, number>;
  readonly pairs: ReadonlyMap<string, Pair>;
}

async function paired(byTag: HeardByTag): Promise<Paired> {
  const tags = new Map<number, number>();
  const pairs = new Map<string, Pair>();
  const pace = new Pace();
  for (const zones of byTag.values()) {
    if (pace.due) await pace.pause();
    for (const { zoneNo } of zones) tags.set(zoneNo, (tags.get(zoneNo) ?? 0) + 1);
    for (const one of zones) {
      if (pace.due) await pace.pause();
      for (const other of zones) if (one.zoneNo < other.zoneNo) addPair(pairs, one, other);
    }
  }
  return { tags, pairs };
}

/** Only of readers that all hear one another are there more pairs than are weighed; what comes then is left out. */
function addPair(pairs: Map<string, Pair>, low: Heard, high: Heard): void {
  const key = `${low.zoneNo} ${high.zoneNo}`;
  let pair = pairs.get(key);
  if (!pair) {
    if (pairs.size >= limits.radioPairsWeighed) return;
    const empty = (): Mean => ({ sum: 0, tags: 0 });
    pair = { low: low.zoneNo, high: high.zoneNo, tags: 0, ofLow: empty(), ofHigh: empty() };
    pairs.set(key, pair);
  }
  pair.tags++;
  addMean(pair.ofLow, low);
  addMean(pair.ofHigh, high);
}

function addMean(mean: Mean, { sum, known }: Heard): void {
  if (known === 0) return;
  mean.sum += sum / known;
  mean.tags++;
}

function pairView(
  { low, high, tags, ofLow, ofHigh }: Pair,
  idOf: ReadonlyMap<number, string>,
): CrossReads['pairs'][number] | null {
  const zoneId = idOf.get(low);
  const otherZoneId = idOf.get(high);
  if (zoneId === undefined || otherZoneId === undefined) return null;
  return { zoneId, otherZoneId, tags, meanRssiCdbm: meanOf(ofLow), otherMeanRssiCdbm: meanOf(ofHigh) };
}

function meanOf({ sum, tags }: Mean): number | null {
  return tags === 0 ? null : Math.round(sum / tags);
}
