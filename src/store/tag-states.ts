import type { TagState } from '../domain/tag-state.ts';

const TAGS_PER_BLOCK = 32;
const CHUNK_BITS = 16;
const TAGS_PER_CHUNK = 2 ** CHUNK_BITS;
const TIMES = 4;
const NUMBERS = 4;
const BLOCK_BYTES = TAGS_PER_BLOCK * (TIMES * 8 + NUMBERS * 4);

/** The block of the `tagStates` table a tag's state is kept in. Two blocks fill a page of the store. */
export function blockOf(tagNo: number): number {
  return Math.floor(tagNo / TAGS_PER_BLOCK);
}

/** The columns of the tags numbered from `first` on. `orgNo` 0 = no such tag; times are NaN for never. */
export interface TagChunk {
  readonly first: number;
  readonly firstSeenAt: Float64Array;
  readonly lastSeenAt: Float64Array;
  readonly zoneSince: Float64Array;
  readonly zoneSeenAt: Float64Array;
  readonly zoneNo: Uint32Array;
  readonly antennaNo: Uint32Array;
  /** Kept on disk for what may come; 0. */
  readonly spare: Uint32Array;
  readonly orgNo: Uint32Array;
}

/**
 * The state of every tag, in columns outside the JavaScript heap: 48 bytes a tag, in chunks, so that growing copies
 * nothing. It makes lists and inventories a scan of memory and lets a start read blocks instead of records.
 */
export class TagStates {
  readonly #chunks: TagChunk[] = [];
  #size = 0;

  /** One more than the highest tag number held. */
  get size(): number {
    return this.#size;
  }

  /** All tags for a scan, by number; tags from `size` on are none. A call for every tag would cost ten times as much. */
  get chunks(): readonly TagChunk[] {
    return this.#chunks;
  }

  /** The organisation a tag belongs to; 0 = no such tag. */
  orgNo(tagNo: number): number {
    return this.#chunks[tagNo >>> CHUNK_BITS]?.orgNo[indexOf(tagNo)] ?? 0;
  }

  /** Epoch ms; NaN = never. */
  lastSeenAt(tagNo: number): number {
    return this.#chunks[tagNo >>> CHUNK_BITS]?.lastSeenAt[indexOf(tagNo)] ?? Number.NaN;
  }

  get(tagNo: number): TagState {
    const chunk = this.#chunks[tagNo >>> CHUNK_BITS];
    const i = indexOf(tagNo);
    return {
      firstSeenAt: chunk?.firstSeenAt[i] ?? Number.NaN,
      lastSeenAt: chunk?.lastSeenAt[i] ?? Number.NaN,
      zoneSince: chunk?.zoneSince[i] ?? Number.NaN,
      zoneSeenAt: chunk?.zoneSeenAt[i] ?? Number.NaN,
      zoneNo: chunk?.zoneNo[i] ?? 0,
      antennaNo: chunk?.antennaNo[i] ?? 0,
    };
  }

  set(tagNo: number, orgNo: number, state: TagState): void {
    const chunk = this.#chunkOf(tagNo);
    const i = indexOf(tagNo);
    if (tagNo >= this.#size) this.#size = tagNo + 1;
    chunk.firstSeenAt[i] = state.firstSeenAt;
    chunk.lastSeenAt[i] = state.lastSeenAt;
    chunk.zoneSince[i] = state.zoneSince;
    chunk.zoneSeenAt[i] = state.zoneSeenAt;
    chunk.zoneNo[i] = state.zoneNo;
    chunk.antennaNo[i] = state.antennaNo;
    chunk.orgNo[i] = orgNo;
  }

  /** The bytes of one block, column after column. */
  encodeBlock(block: number): Uint8Array {
    const from = block * TAGS_PER_BLOCK;
    const chunk = this.#chunkOf(from);
    const i = indexOf(from);
    const bytes = new ArrayBuffer(BLOCK_BYTES);
    timesOf(chunk).forEach((times, n) => {
      const part = times.subarray(i, i + TAGS_PER_BLOCK);
      new Float64Array(bytes, n * TAGS_PER_BLOCK * 8, TAGS_PER_BLOCK).set(part);
    });
    numbersOf(chunk).forEach((numbers, n) => {
      const offset = TAGS_PER_BLOCK * (TIMES * 8 + n * 4);
      new Uint32Array(bytes, offset, TAGS_PER_BLOCK).set(numbers.subarray(i, i + TAGS_PER_BLOCK));
    });
    return new Uint8Array(bytes);
  }

  loadBlock(block: number, value: Uint8Array): void {
    if (value.byteLength !== BLOCK_BYTES)
      throw new Error(`tag state block ${block} has ${value.byteLength} bytes`);
    const from = block * TAGS_PER_BLOCK;
    const chunk = this.#chunkOf(from);
    const i = indexOf(from);
    // The store may hand out a view of its own memory, not aligned to 8: copy first (a Buffer's own `slice` copies nothing).
    const bytes = new Uint8Array(value).buffer;
    timesOf(chunk).forEach((times, n) => {
      times.set(new Float64Array(bytes, n * TAGS_PER_BLOCK * 8, TAGS_PER_BLOCK), i);
    });
    numbersOf(chunk).forEach((numbers, n) => {
      numbers.set(new Uint32Array(bytes, TAGS_PER_BLOCK * (TIMES * 8 + n * 4), TAGS_PER_BLOCK), i);
    });
    const last = chunk.orgNo.subarray(i, i + TAGS_PER_BLOCK).findLastIndex((orgNo) => orgNo !== 0);
    this.#size = Math.max(this.#size, from + last + 1);
  }

  #chunkOf(tagNo: number): TagChunk {
    const wanted = tagNo >>> CHUNK_BITS;
    while (this.#chunks.length <= wanted) this.#chunks.push(emptyChunk(this.#chunks.length * TAGS_PER_CHUNK));
    return this.#chunks[wanted] as TagChunk; // made just now if it was not there
  }
}

function indexOf(tagNo: number): number {
  return tagNo & (TAGS_PER_CHUNK - 1);
}

function emptyChunk(first: number): TagChunk {
  const times = () => new Float64Array(TAGS_PER_CHUNK).fill(Number.NaN);
  const numbers = () => new Uint32Array(TAGS_PER_CHUNK);
  return {
    first,
    firstSeenAt: times(),
    lastSeenAt: times(),
    zoneSince: times(),
    zoneSeenAt: times(),
    zoneNo: numbers(),
    antennaNo: numbers(),
    spare: numbers(),
    orgNo: numbers(),
  };
}

/** In the order they have on disk. */
function timesOf(chunk: TagChunk): readonly Float64Array[] {
  return [chunk.firstSeenAt, chunk.lastSeenAt, chunk.zoneSince, chunk.zoneSeenAt];
}

/** In the order they have on disk. */
function numbersOf(chunk: TagChunk): readonly Uint32Array[] {
  return [chunk.zoneNo, chunk.antennaNo, chunk.spare, chunk.orgNo];
}
