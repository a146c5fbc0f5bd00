import type { Reading, Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import type { WebhookEventRecord, WebhookRecord } from '../store/webhook-records.ts';
import { lastAttempts, receiverName } from '../store/webhooks.ts';
import { counted, type Finding } from './doctor-finding.ts';
import type { Sight } from './doctor-sight.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Waiting for longer than a receiver needs for a restart is worth a word. */
const WAITS_LONG_MS = 15 * MINUTE;

/** What waits for webhooks and e-mail, for how long and why, what was given up, and what is switched off. */
export function checkWebhooks({ store, now }: Pick<Sight, 'store' | 'now'>): readonly Finding[] {
  if (!store) return [];
  const check = 'webhook';
  const webhooks = Array.from(store.range(tables.webhooks), ({ value }) => value);
  if (webhooks.length === 0) return [{ check, level: 'ok', message: 'no webhooks and no e-mail are set up' }];
  const waiting = counted(store.count(tables.webhookOutbox), 'event');
  const message = `${counted(webhooks.length, 'subscription')}, ${waiting} not delivered yet`;
  const found = webhooks.flatMap((webhook) => {
    const subject = `${receiverName(webhook)} (${webhook.id})`;
    return [...waitingFor(webhook, store, now), ...givenUp(webhook, store)].map(
      (one): Finding => ({ check, subject, ...one }),
    );
  });
  return [{ check, level: 'ok', message }, ...found];
}

type Told = Pick<Finding, 'level' | 'message' | 'advice'>;

function waitingFor(webhook: WebhookRecord, store: Store, now: number): readonly Told[] {
  const { id, enabled } = webhook;
  const count = Array.from(store.keys(tables.webhookOutbox, rangeOf(id))).length;
  const waits = `${counted(count, 'event')} ${count === 1 ? 'waits' : 'wait'}`;
  if (webhook.paused === 'gone') {
    const message = `switched off because its receiver says it is gone (410); ${waits}`;
    return [
      { level: 'warning', message, advice: 'give it another address, switch it on again, or delete it' },
    ];
  }
  const oldest = firstWaiting(store, id);
  if (!oldest) return [];
  const since = `${waits}, the oldest for ${span(now - (oldest.queuedAt ?? oldest.at))}`;
  if (!enabled) return [{ level: 'note', message: `switched off; ${since}` }];
  if (now - (oldest.queuedAt ?? oldest.at) < WAITS_LONG_MS) return [];
  const [last] = lastAttempts(store, id);
  const why = last?.value.error ? `; the last attempt: ${last.value.error}` : '';
  const advice = 'see to its receiver: what waits for three days is given up';
  return [{ level: 'warning', message: `${since}${why}`, advice }];
}

function givenUp({ id }: WebhookRecord, store: Store): readonly Told[] {
  const count = Array.from(store.keys(tables.webhookDead, rangeOf(id))).length;
  if (count === 0) return [];
  const [last] = Array.from(store.range(tables.webhookDead, { ...newestOf(id), limit: 1 }));
  const message = `${counted(count, 'event')} given up; the last because ${last?.value.error ?? 'of nothing'}`;
  return [{ level: 'note', message, advice: 'look at its dead letters: each can be tried again' }];
}

const rangeOf = (id: string) => ({ start: [id], end: [id, Number.MAX_VALUE] });
const newestOf = (id: string) => ({ start: [id, Number.MAX_VALUE], end: [id], reverse: true });

function firstWaiting(reading: Reading, id: string): WebhookEventRecord | undefined {
  return Array.from(reading.range(tables.webhookOutbox, { ...rangeOf(id), limit: 1 }))[0]?.value;
}

/** In the unit that fits: `5 minutes`, `3 hours`, `2 days`. */
function span(ms: number): string {
  if (ms >= 2 * DAY) return counted(Math.floor(ms / DAY), 'day');
  if (ms >= 2 * HOUR) return counted(Math.floor(ms / HOUR), 'hour');
  return counted(Math.max(0, Math.floor(ms / MINUTE)), 'minute');
}
