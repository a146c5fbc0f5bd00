import { limits } from '../domain/limits.ts';
import type { Sighting } from '../domain/presence.ts';
import type { TagRead } from '../domain/read.ts';

const NO_RSSI = -32_768;
const COUNT_MAX = 65_535;
const ANTENNAS_AT_FIRST = 1024;

/** A tag whose number may be given only when the read is stored. */
interface Numbered {
  readonly tagNo: number;
}

export interface RecentReadsOptions {
  /** Epoch ms: no read before this is known. */
  readonly startedAt: number;
  /** How many reads are held; a power of two. */
  readonly capacity?: number;
}

/**
 * The last reads that were stored, of all organisations, in columns outside the heap: 28 bytes a read. A read is known by
 * its place in the order of all reads since the start; those from `oldest` to before `end` are held. Reads of a batch are
 * staged, which already takes the room of the oldest, and held once the batch is durable. Nothing is allocated for a read.
 */
export class RecentReads {
  readonly #mask: number;
  readonly #tagNo: Uint32Array;
  readonly #antennaNo: Uint32Array;
  readonly #rssiCdbm: Int16Array;
  readonly #count: Uint16Array;
  readonly #at: Float64Array;
  readonly #arrivedAt: Float64Array;
  readonly #startedAt: number;
  /** The tags of the staged reads; kept, so that it grows once. */
  readonly #stagedTags: Numbered[] = [];
  #staged = 0;
  #end = 0;
  /** Reads before this are gone, whatever became of the batch that took their room. */
  #lost = 0;
  /** By antenna: reads held since they were last taken. */
  #counted = new Float64Array(ANTENNAS_AT_FIRST);

  constructor({ startedAt, capacity = limits.recentReads }: RecentReadsOptions) {
    if (!Number.isInteger(Math.log2(capacity))) throw new Error(`${capacity} reads: not a power of two`);
    this.#mask = capacity - 1;
    this.#tagNo = new Uint32Array(capacity);
    this.#antennaNo = new Uint32Array(capacity);
    this.#rssiCdbm = new Int16Array(capacity);
    this.#count = new Uint16Array(capacity);
    this.#at = new Float64Array(capacity);
    this.#arrivedAt = new Float64Array(capacity);
    this.#startedAt = startedAt;
  }

  /** The first read that is still held. */
  get oldest(): number {
    return Math.max(this.#lost, this.#end + this.#staged - this.#mask - 1);
  }

  /** One more than the newest read. */
  get end(): number {
    return this.#end;
  }

  /** Every read that arrived from then on is held, epoch ms: the arrival of the oldest, or the start. Infinity: none is. */
  get heldSince(): number {
    const { oldest } = this;
    if (oldest === 0) return this.#startedAt;
    return oldest < this.#end ? this.arrivedAt(oldest) : Number.POSITIVE_INFINITY;
  }

  tagNo(no: number): number {
    return this.#tagNo[no & this.#mask] ?? 0;
  }

  antennaNo(no: number): number {
    return this.#antennaNo[no & this.#mask] ?? 0;
  }

  /** Hundredths of a dBm, null when the reader did not say. */
  rssiCdbm(no: number): number | null {
    const rssiCdbm = this.#rssiCdbm[no & this.#mask] ?? NO_RSSI;
    return rssiCdbm === NO_RSSI ? null : rssiCdbm;
  }

  /** How many reads the message stood for, 65,535 at most. */
  count(no: number): number {
    return this.#count[no & this.#mask] ?? 0;
  }

  /** The read's time, epoch ms with microseconds as the fraction. */
  at(no: number): number {
    return this.#at[no & this.#mask] ?? 0;
  }

  /** When it arrived, by the service's clock, epoch ms. */
  arrivedAt(no: number): number {
    return this.#arrivedAt[no & this.#mask] ?? 0;
  }

  /** Begins a batch: what an earlier one staged and never stored is forgotten. */
  begin(): void {
    this.#lost = this.oldest;
    this.#staged = 0;
  }

  /** Takes a read of the running batch; `sighting` is what it made of its tag at its antenna. */
  stage(tag: Numbered, { rssiCdbm, count }: TagRead, { visit, arrivedAt }: Sighting): void {
    const slot = (this.#end + this.#staged) & this.#mask;
    this.#stagedTags[this.#staged] = tag;
    this.#staged++;
    this.#antennaNo[slot] = visit.antennaNo;
    this.#rssiCdbm[slot] = rssiCdbm === null ? NO_RSSI : Math.round(rssiCdbm);
    this.#count[slot] = Math.min(count, COUNT_MAX);
    this.#at[slot] = visit.lastAt;
    this.#arrivedAt[slot] = arrivedAt;
  }

  /** The batch is durable: its tags have their numbers, and its reads are held. */
  commit(): void {
    const first = this.#end;
    const staged = this.#staged;
    for (let i = Math.max(0, staged - this.#mask - 1); i < staged; i++) {
      const slot = (first + i) & this.#mask;
      this.#tagNo[slot] = this.#stagedTags[i]?.tagNo ?? 0;
      this.#add(this.#antennaNo[slot] ?? 0, this.#count[slot] ?? 0);
    }
    this.#end += staged;
    this.#staged = 0;
  }

  /** How many reads of an antenna were stored since this was last asked. */
  takeCounted(antennaNo: number): number {
    const counted = this.#counted[antennaNo] ?? 0;
    if (counted > 0) this.#counted[antennaNo] = 0;
    return counted;
  }

  #add(antennaNo: number, count: number): void {
    if (antennaNo >= this.#counted.length) {
      const grown = new Float64Array(2 ** Math.ceil(Math.log2(antennaNo + 1)));
      grown.set(this.#counted);
      this.#counted = grown;
    }
    this.#counted[antennaNo] = (this.#counted[antennaNo] ?? 0) + count;
  }
}
