import type { StrongestTag } from '../../contract/radio.ts';
import { limits } from '../../domain/limits.ts';
import { refuse } from '../../domain/refusal.ts';
import { antennaNoOf } from '../../domain/tag-state.ts';
import { formatInstant } from '../../lib/instant.ts';
import { Pace } from '../../lib/pace.ts';
import { Top } from '../../lib/top.ts';
import { tables } from '../../store/tables.ts';
import type { RadioSources } from './radio-sources.ts';
import { eachRead, windowOf } from './window.ts';

/** How long before the window a tag must not have been heard to be new, ms. */
const QUIET_MS = 60_000;
/** Below every signal strength there is. */
const UNKNOWN = -1_000_000;

export interface StrongestQuestion {
  readonly readerId: string;
  readonly port: number;
  readonly seconds: number;
}

/** How one tag was heard. */
interface Heard {
  reads: number;
  /** Of the signal strengths that are known. */
  sum: number;
  known: number;
}

interface HeardTags {
  readonly inWindow: ReadonlyMap<number, Heard>;
  readonly before: ReadonlySet<number>;
}

/** The tags an antenna heard best in the last seconds. Throws 404 for a reader the organisation does not have. */
export async function strongestTags(
  sources: RadioSources,
  orgId: string,
  { readerId, port, seconds }: StrongestQuestion,
): Promise<readonly StrongestTag[]> {
  const { store } = sources;
  const reader = store.get(tables.readers, [orgId, readerId]);
  if (!reader) throw refuse('not-found', 'There is no reader with this id.');
  const heard = await heardAt(sources, antennaNoOf(reader.no, port), seconds);
  const top = new Top(limits.strongestTags);
  const pace = new Pace();
  for (const [tagNo, { sum, known }] of heard.inWindow) {
    if (pace.due) await pace.pause();
    const isThere = sources.states.orgNo(tagNo) !== 0;
    if (isThere) top.offer(known === 0 ? UNKNOWN : sum / known, tagNo);
  }
  return top.ranked().flatMap(({ no }) => shown(sources, { orgId, tagNo: no, heard }) ?? []);
}

async function heardAt(
  { recent, now }: RadioSources,
  antennaNo: number,
  seconds: number,
): Promise<HeardTags> {
  const { from, to } = windowOf(recent, seconds, now());
  const inWindow = new Map<number, Heard>();
  const before = new Set<number>();
  await eachRead(recent, { from: from - QUIET_MS, to }, (no) => {
    if (recent.antennaNo(no) !== antennaNo) return;
    if (recent.arrivedAt(no) < from) before.add(recent.tagNo(no));
    else addRead(inWindow, recent.tagNo(no), { count: recent.count(no), rssiCdbm: recent.rssiCdbm(no) });
  });
  return { inWindow, before };
}

function addRead(
  heard: Map<number, Heard>,
  tagNo: number,
  { count, rssiCdbm }: { count: number; rssiCdbm: number | null },
): void {
  const one = heard.get(tagNo) ?? { reads: 0, sum: 0, known: 0 };
  if (one.reads === 0) heard.set(tagNo, one);
  one.reads += count;
  if (rssiCdbm === null) return;
  one.sum += rssiCdbm;
  one.known++;
}

function shown(
  { store, states, linkOf, labelOf }: RadioSources,
  { orgId, tagNo, heard }: { orgId: string; tagNo: number; heard: HeardTags },
): StrongestTag | null {
  const record = store.get(tables.tags, tagNo);
  const one = heard.inWindow.get(tagNo);
  if (!record || !one) return null;
  const link = linkOf(tagNo);
  const { firstSeenAt, lastSeenAt } = states.get(tagNo);
  return {
    ...{ epc: record.epc, tagId: record.id },
    label: link?.label ?? labelOf(orgId, tagNo) ?? null,
    rssiCdbm: one.known === 0 ? null : Math.round(one.sum / one.known),
    reads: one.reads,
    ...{ firstSeenAt: formatInstant(firstSeenAt), lastSeenAt: formatInstant(lastSeenAt) },
    targetType: link ? 'asset' : null,
    isNew: link === null && !heard.before.has(tagNo),
  };
}
