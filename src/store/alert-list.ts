import type { AlertState } from '../domain/alert.ts';
import { Pace } from '../lib/pace.ts';
import { type AlertMoment, alertIdPrefix } from './alert-id.ts';
import { orgRange } from './of-org.ts';
import type { AlertRecord } from './records.ts';
import type { Reading } from './store.ts';
import { tables } from './tables.ts';

/** Which alerts of an organisation are wanted. */
export interface AlertSelection {
  readonly orgId: string;
  /** All when absent. */
  readonly state?: AlertState | undefined;
  /** Only older ones than this one. */
  readonly olderThan?: AlertMoment | undefined;
  readonly limit: number;
}

const SLICE = 256;
/** Sorts after every id: ids are ASCII. */
const AFTER_IDS = '\uffff';

/**
 * Alerts, newest first. However many there are: all and the resolved ones are read from the newest on, the open and the
 * acknowledged ones are found by the problems that have not ended. In slices that don't hold the event loop.
 */
export function listAlerts(reading: Reading, selection: AlertSelection): Promise<readonly AlertRecord[]> {
  const { state } = selection;
  return state === 'open' || state === 'acked'
    ? listUnresolved(reading, selection)
    : listNewest(reading, selection);
}

async function listNewest(
  reading: Reading,
  { orgId, state, olderThan, limit }: AlertSelection,
): Promise<readonly AlertRecord[]> {
  const pace = new Pace();
  const found: AlertRecord[] = [];
  let from = olderThan ? alertIdPrefix(olderThan) : AFTER_IDS;
  while (true) {
    const range = { start: [orgId, from], end: [orgId], reverse: true, limit: SLICE } as const;
    const slice = Array.from(reading.range(tables.alerts, range), ({ value }) => value);
    found.push(...slice.filter((alert) => state === undefined || alert.state === state));
    const last = slice.at(-1);
    if (found.length >= limit || slice.length < SLICE || !last) return found.slice(0, limit);
    from = alertIdPrefix(last);
    if (pace.due) await pace.pause();
  }
}

async function listUnresolved(
  reading: Reading,
  { orgId, state, olderThan, limit }: AlertSelection,
): Promise<readonly AlertRecord[]> {
  const pace = new Pace();
  const before = olderThan ? alertIdPrefix(olderThan) : AFTER_IDS;
  const found: AlertRecord[] = [];
  for (const id of (await idsByProblem(reading, orgId, pace)).sort().reverse()) {
    if (id >= before) continue;
    const alert = reading.get(tables.alerts, [orgId, id]);
    if (alert?.state === state && alert && found.push(alert) === limit) break;
    if (pace.due) await pace.pause();
  }
  return found;
}

async function idsByProblem(reading: Reading, orgId: string, pace: Pace): Promise<string[]> {
  const ids = new Set<string>();
  let range = { ...orgRange(orgId), limit: SLICE };
  while (true) {
    const slice = Array.from(reading.range(tables.alertByProblem, range));
    for (const { value } of slice) ids.add(value);
    const last = slice.at(-1);
    if (slice.length < SLICE || !last) return [...ids];
    // The last entry comes again as the first of the next slice.
    range = { ...range, start: last.key };
    if (pace.due) await pace.pause();
  }
}
