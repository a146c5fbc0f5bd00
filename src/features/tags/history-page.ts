import type { Position } from '../../contract/paging.ts';
import type { Value } from '../../domain/value.ts';
import { Pace } from '../../lib/pace.ts';
import type { Reading } from '../../store/store.ts';
import { currentValues, type HistoryPlace, historyOf } from '../../store/tag-data.ts';

/** A value a tag holds or held; `key` is when it became current (epoch ms), `no` its field's number. */
export interface HistoryItem extends Position {
  readonly value: Value;
  /** Epoch ms; null while it is current. */
  readonly validTo: number | null;
}

export interface HistoryPage {
  /** Numbers of the fields there are: values of others are gone. */
  readonly fieldNos: ReadonlySet<number>;
  readonly limit: number;
  /** Only what comes after this position. */
  readonly after: Position | undefined;
}

const SLICE = 100;

/** Values of a tag, current and ended, the one that became current last first. Leaves the event loop free on the way. */
export async function historyPage(
  reading: Reading,
  tagNo: number,
  page: HistoryPage,
): Promise<readonly HistoryItem[]> {
  const current = currentItems(reading, tagNo, page);
  const known = new Set(current.map(({ key, no }) => `${key},${no}`));
  const ended = await endedItems(reading, tagNo, page);
  // A value that ended while this waited for its turn is told once, as it was at the start.
  const others = ended.filter(({ key, no }) => !known.has(`${key},${no}`));
  return [...current, ...others].sort((a, b) => b.key - a.key || b.no - a.no).slice(0, page.limit);
}

function currentItems(reading: Reading, tagNo: number, { fieldNos, after }: HistoryPage): HistoryItem[] {
  return Array.from(currentValues(reading, tagNo), ([no, { value, since }]) => ({
    ...{ key: since, no, value, validTo: null },
  })).filter(
    ({ key, no }) => fieldNos.has(no) && (!after || key < after.key || (key === after.key && no < after.no)),
  );
}

async function endedItems(
  reading: Reading,
  tagNo: number,
  { fieldNos, limit, after }: HistoryPage,
): Promise<readonly HistoryItem[]> {
  // No entry is older than all: the store has no key for that.
  if (after && !Number.isFinite(after.key)) return [];
  const pace = new Pace();
  const found: HistoryItem[] = [];
  let before: HistoryPlace | undefined = after && { validFrom: after.key, fieldNo: after.no };
  for (;;) {
    const slice = [...historyOf(reading, tagNo, { before, limit: SLICE })];
    for (const { fieldNo: no, validFrom: key, value, validTo } of slice)
      if (fieldNos.has(no)) found.push({ key, no, value, validTo });
    if (slice.length < SLICE || found.length >= limit) return found;
    before = slice.at(-1);
    if (pace.due) await pace.pause();
  }
}
