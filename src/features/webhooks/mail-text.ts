import { limits } from '../../domain/limits.ts';
import type { WebhookEventType } from '../../domain/webhook.ts';
import { oneLine } from '../../lib/one-line.ts';
import { localTime, withLocalTimes } from './local-time.ts';
import { type Names, sentence, type ToldEvent } from './mail-sentence.ts';

/** What an e-mail says, besides its events. */
export interface MailTextOptions {
  readonly names: Names;
  /** How many more wait. */
  readonly more: number;
  /** The subscription. */
  readonly webhookId: string;
}

export interface MailText {
  /** One line. */
  readonly subject: string;
  readonly text: string;
}

const SUBJECT_MAX_LENGTH = 120;

/** Lower comes first in the subject; what is not named is all the same. */
const ranks: Partial<Record<WebhookEventType, number>> = {
  asset_marked_missing: 2,
  alert_resolved: 3,
  alert_acked: 4,
};

/** What a person reads: the most important of it as the subject, all of it in order, one paragraph each. */
export function mailText(events: readonly ToldEvent[], options: MailTextOptions): MailText {
  const { names, more, webhookId } = options;
  const [top] = events.toSorted((a, b) => rankOf(a) - rankOf(b));
  const headline = top ? oneLine(headOf(top, sentence(top, names)), SUBJECT_MAX_LENGTH) : '';
  const others = events.length + more - 1;
  const paragraphs = events.map((event) => `${timed(sentence(event, names), event.at)}\n`);
  if (more > 0) paragraphs.push(`${more} more wait and come in the next message.\n`);
  const because = `Tagkeep sends this because of its subscription ${webhookId}. After a fault something may be told twice.`;
  return {
    subject: `Tagkeep: ${headline}${others > 0 ? ` (and ${others} more)` : ''}`,
    text: [...paragraphs, '-- ', because, ''].join('\n'),
  };
}

function rankOf({ type, data }: ToldEvent): number {
  if (type === 'alert_opened') return 'severity' in data && data.severity === 'critical' ? 0 : 1;
  return ranks[type] ?? 5;
}

/** What is wrong stands before why, since when and what to do. */
function headOf({ type }: ToldEvent, text: string): string {
  return type.startsWith('alert_') ? text.replace(/^(.+? is [^:.]+)[:.] .*$/su, '$1') : text;
}

const PARAGRAPH_MAX_LENGTH = 4 * limits.nameMaxLength + 1000;

function timed(text: string, at: number): string {
  const line = oneLine(withLocalTimes(text), PARAGRAPH_MAX_LENGTH);
  return `${localTime(at)}: ${line}${/[.!?…]$/.test(line) ? '' : '.'}`;
}
