import type { TagState } from '../domain/tag-state.ts';

const TAGS_PER_BLOCK = 32;
const TIMES = 4;
const NUMBERS = 4;
const BLOCK_BYTES = TAGS_PER_BLOCK * (TIMES * 8 + NUMBERS * 4);

/** The block of the `tagStates` table a tag's state is kept in. Two blocks fill a page of the store. */
export function blockOf(tagNo: number): number {
  return Math.floor(tagNo / TAGS_PER_BLOCK);
}

/** The columns that scans over all tags look at, indexed by tag number; each is at least as long as `TagStates.size`. */
export interface TagColumns {
  readonly lastSeenAt: Float64Array;
  readonly zoneSince: Float64Array;
  readonly zoneSeenAt: Float64Array;
  readonly zoneNo: Uint32Array;
  readonly orgNo: Uint32Array;
}

/**
 * The state of every tag, in columns outside the JavaScript heap: 48 bytes a tag, indexed by tag number.
 * It makes lists and inventories a scan of memory and lets a start read blocks instead of records.
 */
export class TagStates {
  #capacity = 0;
  #size = 0;
  #times: Float64Array[] = [];
  #numbers: Uint32Array[] = [];

  constructor(capacity = 4096) {
    this.#grow(capacity);
  }

  /** One more than the highest tag number held. */
  get size(): number {
    return this.#size;
  }

  /** The organisation a tag belongs to; 0 = no such tag. */
  orgNo(tagNo: number): number {
    return this.#number(3, tagNo);
  }

  lastSeenAt(tagNo: number): number {
    return this.#time(1, tagNo);
  }

  zoneNo(tagNo: number): number {
    return this.#number(0, tagNo);
  }

  zoneSeenAt(tagNo: number): number {
    return this.#time(3, tagNo);
  }

  /** For a scan that does not pause: growing replaces them. A call for every tag would cost ten times as much. */
  columns(): TagColumns {
    return {
      lastSeenAt: column(this.#times, 1),
      zoneSince: column(this.#times, 2),
      zoneSeenAt: column(this.#times, 3),
      zoneNo: column(this.#numbers, 0),
      orgNo: column(this.#numbers, 3),
    };
  }

  get(tagNo: number): TagState {
    return {
      firstSeenAt: this.#time(0, tagNo),
      lastSeenAt: this.#time(1, tagNo),
      zoneSince: this.#time(2, tagNo),
      zoneSeenAt: this.#time(3, tagNo),
      zoneNo: this.#number(0, tagNo),
      antennaNo: this.#number(1, tagNo),
    };
  }

  set(tagNo: number, orgNo: number, state: TagState): void {
    if (tagNo >= this.#capacity) this.#grow(tagNo + 1);
    if (tagNo >= this.#size) this.#size = tagNo + 1;
    column(this.#times, 0)[tagNo] = state.firstSeenAt;
    column(this.#times, 1)[tagNo] = state.lastSeenAt;
    column(this.#times, 2)[tagNo] = state.zoneSince;
    column(this.#times, 3)[tagNo] = state.zoneSeenAt;
    column(this.#numbers, 0)[tagNo] = state.zoneNo;
    column(this.#numbers, 1)[tagNo] = state.antennaNo;
    column(this.#numbers, 3)[tagNo] = orgNo;
  }

  /** The bytes of one block, column after column. */
  encodeBlock(block: number): Uint8Array {
    const from = block * TAGS_PER_BLOCK;
    this.#grow(from + TAGS_PER_BLOCK);
    const bytes = new ArrayBuffer(BLOCK_BYTES);
    this.#times.forEach((times, i) => {
      new Float64Array(bytes, i * TAGS_PER_BLOCK * 8, TAGS_PER_BLOCK).set(
        times.subarray(from, from + TAGS_PER_BLOCK),
      );
    });
    this.#numbers.forEach((numbers, i) => {
      const offset = TAGS_PER_BLOCK * (TIMES * 8 + i * 4);
      new Uint32Array(bytes, offset, TAGS_PER_BLOCK).set(numbers.subarray(from, from + TAGS_PER_BLOCK));
    });
    return new Uint8Array(bytes);
  }

  loadBlock(block: number, value: Uint8Array): void {
    if (value.byteLength !== BLOCK_BYTES)
      throw new Error(`tag state block ${block} has ${value.byteLength} bytes`);
    const from = block * TAGS_PER_BLOCK;
    this.#grow(from + TAGS_PER_BLOCK);
    // The store may hand out a view of its own memory, not aligned to 8: copy first (a Buffer's own `slice` copies nothing).
    const bytes = new Uint8Array(value).buffer;
    this.#times.forEach((times, i) => {
      times.set(new Float64Array(bytes, i * TAGS_PER_BLOCK * 8, TAGS_PER_BLOCK), from);
    });
    this.#numbers.forEach((numbers, i) => {
      numbers.set(new Uint32Array(bytes, TAGS_PER_BLOCK * (TIMES * 8 + i * 4), TAGS_PER_BLOCK), from);
    });
    const orgs = column(this.#numbers, 3);
    for (let no = from; no < from + TAGS_PER_BLOCK; no++)
      if (orgs[no]) this.#size = Math.max(this.#size, no + 1);
  }

  #time(index: number, tagNo: number): number {
    return column(this.#times, index)[tagNo] ?? Number.NaN;
  }

  #number(index: number, tagNo: number): number {
    return column(this.#numbers, index)[tagNo] ?? 0;
  }

  #grow(atLeast: number): void {
    if (atLeast <= this.#capacity) return;
    const capacity = Math.max(atLeast, Math.ceil(this.#capacity * 1.5));
    this.#times = grown(this.#times, TIMES, () => new Float64Array(capacity).fill(Number.NaN));
    this.#numbers = grown(this.#numbers, NUMBERS, () => new Uint32Array(capacity));
    this.#capacity = capacity;
  }
}

function grown<T extends Float64Array | Uint32Array>(old: readonly T[], count: number, make: () => T): T[] {
  return Array.from({ length: count }, (_, i) => {
    const column = make();
    const before = old[i];
    if (before) column.set(before);
    return column;
  });
}

function column<T>(columns: readonly T[], index: number): T {
  return columns[index] as T; // indices are constants below the number of columns
}
