import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LiveEvent } from '../contract/events.ts';
import { limits } from '../domain/limits.ts';
import type { TagRead } from '../domain/read.ts';
import type { Log } from '../log/log.ts';
import type { Directory, ReaderContext } from '../store/directory.ts';
import { type Store, WriteFailed } from '../store/store.ts';
import { JournalFull, type TagLedger } from '../store/tag-ledger.ts';
import type { Activity } from './activity.ts';
import { Batch, type BatchContext } from './batch.ts';
import { decodeEvents } from './decode.ts';
import type { Diagnostics } from './diagnostics.ts';
import { isSkewed, type StepRules } from './step.ts';
import type { Views } from './views.ts';

/** One `events` message, waiting for its acknowledgement. */
interface Waiting {
  readonly serial: string;
  readonly payload: Buffer;
  readonly settle: () => void;
  /** Decoded once; what comes before `next` is in an earlier batch. */
  reads: readonly TagRead[] | null;
  next: number;
}

export interface IngestOptions {
  readonly store: Store;
  readonly directory: Directory;
  readonly ledger: TagLedger;
  readonly views: Views;
  readonly activity: Activity;
  readonly diagnostics: Diagnostics;
  readonly rules: StepRules;
  readonly now: () => number;
  readonly listening: (orgId: string) => boolean;
  readonly describe?: BatchContext['describe'];
  readonly onMoves?: BatchContext['onMoves'];
  readonly moveWeight?: BatchContext['moveWeight'];
  readonly recent?: BatchContext['recent'];
  readonly publish: (orgId: string, events: readonly LiveEvent[]) => void;
  /** Why nothing may be written now (disk nearly full), or null. */
  readonly writeBlocked: () => string | null;
  readonly log: Log;
}

/** What one transaction may hold (`Batch.weight`), and how long its decoding may hold the event loop. */
const BATCH_WEIGHT = 2000;
const BATCH_MS = 5;
const RETRY_MS = 500;
const WARN_EVERY_MS = 60_000;
const QUEUE_MAX_BYTES = 64 * 1024 * 1024;
/** Bookkeeping of a waiting message, so that floods of tiny messages are bounded too. */
const MESSAGE_OVERHEAD_BYTES = 256;

/**
 * From payload to disk to stream. Messages wait unacknowledged in one queue; each turn takes what is there, decodes and
 * steps it, writes it in one transaction, then acknowledges and publishes. While the disk refuses, messages simply wait:
 * the held acknowledgements stop the readers, which keep their reads.
 */
export class Ingest {
  readonly #options: IngestOptions;
  #queue: Waiting[] = [];
  #queuedBytes = 0;
  #running: Promise<void> | null = null;
  #stopping = false;
  /** Why nothing is acknowledged at the moment, or null. */
  stalled: string | null = null;
  readonly #warnedAt = new Map<string, number>();
  batches = 0;
  shed = 0;

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  get queuedMessages(): number {
    return this.#queue.length;
  }

  /**
   * Takes an `events` message; `settle` is called once it is on disk, or dropped with a reason on record. False, and
   * `settle` is never called, when the queue is full or ingest stops: the reader keeps the message and sends it again.
   */
  accept(serial: string, payload: Buffer, settle: () => void): boolean {
    const bytes = payload.length + MESSAGE_OVERHEAD_BYTES;
    if (this.#stopping || this.#queuedBytes + bytes > QUEUE_MAX_BYTES) {
      this.shed++;
      return false;
    }
    this.#queuedBytes += bytes;
    this.#queue.push({ serial, payload, settle, reads: null, next: 0 });
    this.#running ??= this.#drain();
    return true;
  }

  /** Resolves when everything accepted so far is settled, or can't be because the disk refuses. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  async #drain(): Promise<void> {
    // What arrives in the same turn belongs in the same batch.
    await nextTurn();
    while (this.#queue.length > 0) {
      if (!(await this.#runBatch())) break;
      await nextTurn();
    }
    this.#running = null;
  }

  /** False when it gave up, which it only does while stopping. */
  async #runBatch(): Promise<boolean> {
    const batch = new Batch(this.#batchContext());
    const taken = this.#step(batch);
    if (!batch.empty && !(await this.#commit(batch))) return false;
    for (const { serial, settle } of taken) this.#guarded(settle, serial);
    this.#guarded(() => this.#publish(batch));
    this.batches++;
    return true;
  }

  #publish(batch: Batch): void {
    for (const [orgId, events] of batch.events()) this.#options.publish(orgId, events);
  }

  /** A fault of one message's way out must not keep the others in. */
  #guarded(action: () => void, serial?: string): void {
    try {
      action();
    } catch (error) {
      this.#options.log.error({ err: error, serial }, 'a stored batch could not be passed on');
    }
  }

  #batchContext(): BatchContext {
    const { views, directory, ledger, rules, listening, describe, onMoves, moveWeight, recent } =
      this.#options;
    return { views, directory, ledger, rules, listening, describe, onMoves, moveWeight, recent };
  }

  /** Takes what one batch may hold; a message that does not fit goes on in the next one and is settled with its last read. */
  #step(batch: Batch): readonly Waiting[] {
    const readers = new Map<string, ReaderContext | undefined>();
    const until = performance.now() + BATCH_MS;
    let count = 0;
    while (count < this.#queue.length && batch.weight < BATCH_WEIGHT) {
      const waiting = this.#queue[count];
      if (!waiting || !this.#takeMessage(batch, waiting, readers)) break;
      count++;
      if (count % 16 === 0 && performance.now() > until) break;
    }
    const taken = this.#queue.slice(0, count);
    this.#queue = this.#queue.slice(count);
    for (const { payload } of taken) this.#queuedBytes -= payload.length + MESSAGE_OVERHEAD_BYTES;
    return taken;
  }

  /** False when reads of the message are left for the next batch. */
  #takeMessage(batch: Batch, waiting: Waiting, readers: Map<string, ReaderContext | undefined>): boolean {
    const { serial, payload } = waiting;
    const now = this.#options.now();
    try {
      const reader = this.#readerOf(serial, readers);
      if (!reader) {
        this.#drop(serial, now);
        return true;
      }
      waiting.reads ??= this.#decode(reader, payload, now);
      return this.#takeReads(batch, { reader, waiting, now });
    } catch (error) {
      // A fault of ours must cost one message, not the process; the operator finds it with the bad payloads.
      this.#options.log.error({ err: error, serial }, 'a message could not be processed');
      this.#reject(serial, { now, reasons: ['internal error, see the log'], count: 1, payload });
      return true;
    }
  }

  #readerOf(serial: string, readers: Map<string, ReaderContext | undefined>): ReaderContext | undefined {
    if (!readers.has(serial)) readers.set(serial, this.#options.directory.reader(serial));
    return readers.get(serial);
  }

  #drop(serial: string, now: number): void {
    const counters = this.#options.diagnostics.of(serial);
    counters.messages++;
    counters.dropped++;
    this.#options.activity.heard(serial, now);
  }

  #decode({ serial }: ReaderContext, payload: Buffer, now: number): readonly TagRead[] {
    const { activity, diagnostics } = this.#options;
    diagnostics.of(serial).messages++;
    const decoded = decodeEvents(payload);
    if (decoded.reads.length > 0) activity.events(serial, now, decoded.radio);
    else activity.heard(serial, now, decoded.radio);
    if (decoded.rejectedCount > 0) {
      const reasons = decoded.rejections.map(({ reason }) => reason);
      this.#reject(serial, { now, reasons, count: decoded.rejectedCount, payload });
    }
    return decoded.reads;
  }

  #takeReads(batch: Batch, message: { reader: ReaderContext; waiting: Waiting; now: number }): boolean {
    const { reader, waiting, now } = message;
    const { diagnostics, rules } = this.#options;
    const counters = diagnostics.of(reader.serial);
    const reads = waiting.reads ?? [];
    for (; waiting.next < reads.length; waiting.next++) {
      const read = reads[waiting.next];
      if (batch.weight >= BATCH_WEIGHT) return false;
      if (!read) continue;
      counters.reads++;
      if (read.readerAt !== null) {
        counters.clockAheadMs = read.readerAt - now;
        if (isSkewed(read.readerAt, now, rules.maxClockSkewMs)) counters.clockSkewed++;
      }
      if (!batch.add(reader, read, now)) counters.repeats++;
    }
    return true;
  }

  #reject(
    serial: string,
    bad: { now: number; reasons: readonly string[]; count: number; payload: Buffer },
  ): void {
    const { diagnostics, log } = this.#options;
    const reasons = bad.reasons.slice(0, limits.badPayloadsKept);
    diagnostics.reject(serial, { at: bad.now, reasons, count: bad.count, payload: bad.payload });
    // One line a minute and device: enough to find it, too few to fill a disk.
    if (bad.now - (this.#warnedAt.get(serial) ?? Number.NEGATIVE_INFINITY) < WARN_EVERY_MS) return;
    this.#warnedAt.set(serial, bad.now);
    const { rejected } = diagnostics.of(serial);
    log.warn({ serial, reason: reasons[0], rejected }, 'what a reader sent could not be read');
  }

  /** Writes until it is durable. While the disk refuses it tries again; nothing is acknowledged meanwhile. */
  async #commit(batch: Batch): Promise<boolean> {
    for (;;) {
      const failure = await this.#tryCommit(batch);
      if (failure === null) break;
      if (this.stalled === null) this.#options.log.error({ reason: failure }, 'reads are not acknowledged');
      this.stalled = failure;
      if (this.#stopping) return false;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    if (this.stalled !== null) this.#options.log.info({}, 'reads are acknowledged again');
    this.stalled = null;
    return true;
  }

  async #tryCommit(batch: Batch): Promise<string | null> {
    const { store, ledger, writeBlocked, now } = this.#options;
    try {
      const blocked = writeBlocked();
      if (blocked) return blocked;
      if (ledger.full) await ledger.checkpoint();
      await store.write((tx) => batch.write(tx, now()));
      batch.committed();
      return null;
    } catch (error) {
      batch.rolledBack();
      if (error instanceof JournalFull) return this.#makeRoom(batch);
      if (error instanceof WriteFailed) return 'the disk is full or failing';
      this.#options.log.error({ err: error }, 'a batch of reads could not be stored');
      return 'internal error, see the log';
    }
  }

  /** What people wrote meanwhile took the last slots of the journal. */
  async #makeRoom(batch: Batch): Promise<string | null> {
    try {
      await this.#options.ledger.checkpoint();
    } catch (error) {
      if (error instanceof WriteFailed) return 'the disk is full or failing';
      throw error;
    }
    return this.#tryCommit(batch);
  }
}
