import { isReceiverDown, receiverRestMs, WEBHOOK_PAUSE_MAX_MS } from '../../domain/webhook.ts';

/** What memory holds of a waiting event. */
export interface Waiting {
  readonly no: number;
  readonly subject: string;
  /** Not before, epoch ms. */
  readonly nextAt: number;
}

const AT_ONCE = 5;

/**
 * What waits for one subscription: for each subject in order, of which only the first may be on its way. A receiver that
 * failed several times in a row is left alone for a while, and then gets one attempt at a time until one succeeds.
 */
export class WaitingLine {
  readonly #byNo = new Map<number, Waiting>();
  readonly #bySubject = new Map<string, Waiting[]>();
  readonly #busy = new Set<string>();
  #failures = 0;
  #restUntil = 0;
  #leftAloneUntil = 0;
  /** Nothing is due before; a look through all subjects told so at `#lookedAt`. */
  #nextDue = 0;
  #lookedAt = 0;

  get size(): number {
    return this.#byNo.size;
  }

  /** Puts an event in its place, or takes over when it is next. Events may be told of out of order. */
  set(event: Waiting): void {
    this.#nextDue = 0;
    const subject = this.#bySubject.get(event.subject) ?? [];
    this.#bySubject.set(event.subject, subject);
    const known = this.#byNo.get(event.no);
    this.#byNo.set(event.no, event);
    if (known) {
      subject[subject.indexOf(known)] = event;
      return;
    }
    let place = subject.length;
    while (place > 0 && (subject[place - 1]?.no ?? 0) > event.no) place--;
    subject.splice(place, 0, event);
  }

  remove(no: number): void {
    const event = this.#byNo.get(no);
    const subject = event && this.#bySubject.get(event.subject);
    if (!event || !subject) return;
    this.#nextDue = 0;
    this.#byNo.delete(no);
    subject.splice(subject.indexOf(event), 1);
    if (subject.length === 0) this.#bySubject.delete(event.subject);
  }

  /** The next event to deliver at `now` (epoch ms), whose subject is busy from now on; null when there is none. */
  take(now: number): Waiting | null {
    if (!this.#mayStart(now)) return null;
    if (now >= this.#lookedAt && now < this.#nextDue) return null;
    let soonest = Number.POSITIVE_INFINITY;
    for (const [subject, [first]] of this.#bySubject) {
      if (!first || this.#busy.has(subject)) continue;
      if (isDue(first.nextAt, now)) {
        this.#busy.add(subject);
        return first;
      }
      soonest = Math.min(soonest, first.nextAt);
    }
    this.#lookedAt = now;
    this.#nextDue = soonest;
    return null;
  }

  /** An attempt is over; null: it ended for a reason of our own and says nothing of the receiver. */
  done({ subject }: Waiting, succeeded: boolean | null, now: number): void {
    this.#busy.delete(subject);
    this.#nextDue = 0;
    if (succeeded === null) return;
    const isBack = succeeded && isReceiverDown(this.#failures);
    this.#failures = succeeded ? 0 : this.#failures + 1;
    this.#restUntil = now + receiverRestMs(this.#failures);
    if (isBack) this.wake();
  }

  /** Nothing goes out until then, epoch ms: the receiver has asked for it, or the disk refuses. */
  leaveAlone(until: number): void {
    this.#leftAloneUntil = until;
  }

  /** The receiver is back, or another one: nobody waits for the end of an hour. */
  wake(): void {
    this.#failures = 0;
    this.#leftAloneUntil = 0;
    this.#nextDue = 0;
    for (const subject of this.#bySubject.values()) {
      const [first] = subject;
      if (!first) continue;
      const due = { ...first, nextAt: 0 };
      subject[0] = due;
      this.#byNo.set(due.no, due);
    }
  }

  /** The oldest ones that are more than may wait, but for those on their way; `limit` at most. */
  surplus(max: number, limit: number): readonly number[] {
    const count = Math.min(this.size - max, limit);
    const found: number[] = [];
    if (count <= 0) return found;
    for (const { no, subject } of this.#byNo.values()) {
      if (this.#busy.has(subject) && this.#bySubject.get(subject)?.[0]?.no === no) continue;
      if (found.push(no) >= count) break;
    }
    return found;
  }

  #mayStart(now: number): boolean {
    if (this.#busy.size >= (isReceiverDown(this.#failures) ? 1 : AT_ONCE)) return false;
    return isDue(this.#leftAloneUntil, now) && (this.#failures === 0 || isDue(this.#restUntil, now));
  }
}

// A time further off than any pause was set before the clock was set back.
function isDue(at: number, now: number): boolean {
  return at <= now || at - now > WEBHOOK_PAUSE_MAX_MS;
}
