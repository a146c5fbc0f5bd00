import { Pace } from '../../lib/pace.ts';
import type { Store } from '../../store/store.ts';
import { type Table, tables } from '../../store/tables.ts';
import type { OutboxKey } from '../../store/webhooks.ts';
import type { Waiting } from './waiting-line.ts';

/** Read at a time, so that a long outbox holds neither the event loop nor an old snapshot. */
const SLICE = 500;

/** Everything that waits, by subscription and in order. */
export async function* eachWaiting(
  store: Store,
): AsyncGenerator<readonly [webhookId: string, waiting: Waiting]> {
  const pace = new Pace();
  for (let start: OutboxKey = ['', 0]; ; ) {
    const slice = Array.from(store.range(tables.webhookOutbox, { start, limit: SLICE }));
    for (const { key, value } of slice)
      yield [key[0], { no: key[1], subject: value.subject, nextAt: value.nextAt }];
    const last = slice.at(-1);
    if (!last || slice.length < SLICE) return;
    start = [last.key[0], last.key[1] + 1];
    if (pace.due) await pace.pause();
  }
}

/** The subscriptions a table holds something of: one look for each. */
export function* webhookIdsIn(store: Store, table: Table<OutboxKey, unknown>): Generator<string> {
  for (let start: OutboxKey = ['', 0]; ; ) {
    const [found] = Array.from(store.keys(table, { start, limit: 1 }));
    if (!found) return;
    yield found[0];
    start = [found[0], Number.MAX_VALUE];
  }
}
