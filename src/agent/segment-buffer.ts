import { freshSegment, isDelivered, memoryStore, type Segment, type Store } from './segment.ts';
import { countLines, SegmentFolder } from './segment-folder.ts';

export interface SegmentBufferOptions {
  readonly dir: string;
  /** On disk at most; then the oldest segment is dropped. */
  readonly maxBytes: number;
  /** In memory at most, while the disk takes nothing; 1 MB when absent. */
  readonly memoryMaxBytes?: number;
  /** Called when the disk takes nothing, and when it does again (null). */
  readonly onDisk: (problem: string | null) => void;
}

/** Whole lines on their way, each with its line end. */
export interface Batch {
  readonly text: string;
  readonly segment: Segment;
}

/** What had to be dropped: the lines themselves at both ends, and how many. */
export interface Loss {
  readonly first: string;
  readonly last: string;
  readonly purged: number;
  readonly remaining: number;
}

const SEGMENT_BYTES = 256 * 1024;
/** Each holds a file open. */
const SEGMENTS_MAX = 64;
/** Any line fits in. */
const READ_BYTES = 256 * 1024;
const MEMORY_MAX_BYTES = 1024 * 1024;
const NEWLINE = 10;

/**
 * Lines that wait for the broker, in order, on disk: they survive the end of the agent (at least once: what was on its way goes
 * again). Bounded; when full the oldest segment is dropped and counted. When the disk takes nothing, a bounded part of
 * memory stands in. Never throws.
 */
export class SegmentBuffer {
  readonly #options: SegmentBufferOptions;
  readonly #folder: SegmentFolder;
  readonly #segmentBytes: number;
  #segments: Segment[] = [];
  #canWrite = true;
  #loss: Omit<Loss, 'remaining'> | null = null;

  constructor(options: SegmentBufferOptions) {
    this.#options = options;
    this.#folder = new SegmentFolder(options.dir);
    const { maxBytes } = options;
    this.#segmentBytes = Math.floor(Math.min(maxBytes / 4, Math.max(SEGMENT_BYTES, maxBytes / SEGMENTS_MAX)));
    try {
      this.#segments = this.#folder.recover();
    } catch (error) {
      this.#tell(error);
    }
    this.#makeRoom();
  }

  /** Lines that nobody has read yet. */
  get linesWaiting(): number {
    return this.#segments.reduce((sum, { linesWaiting }) => sum + linesWaiting, 0);
  }

  get bytesWaiting(): number {
    return this.#segments.reduce((sum, { size, readTo }) => sum + size - readTo, 0);
  }

  get hasLoss(): boolean {
    return this.#loss !== null;
  }

  /** Adds lines, each with its line end. */
  append(text: string): void {
    const bytes = Buffer.from(text);
    const lines = countLines(bytes);
    const last = this.#segments.at(-1);
    const fits = last && last.size + bytes.length <= this.#segmentBytes;
    if (!fits || !this.#write(last, bytes, lines))
      this.#write(this.#begin(), bytes, lines) || this.#keep(bytes, lines);
    this.#makeRoom();
  }

  /** The next whole lines, at most `maxBytes` of them; one longer line comes alone. Undefined when nothing waits. */
  read(maxBytes: number): Batch | undefined {
    const segment = this.#segments.find(({ size, readTo }) => readTo < size);
    if (!segment) return undefined;
    const waiting = segment.size - segment.readTo;
    const bytes = readOf(segment, Math.min(waiting, Math.max(maxBytes, READ_BYTES)));
    const cut = bytes.length <= maxBytes ? bytes.length : bytes.lastIndexOf(NEWLINE, maxBytes - 1) + 1;
    const taken = bytes.subarray(0, cut > 0 ? cut : bytes.indexOf(NEWLINE) + 1);
    if (taken.length === 0) return this.#skipBroken(segment, maxBytes);
    segment.readTo += taken.length;
    segment.linesWaiting -= countLines(taken);
    segment.batchesOut += 1;
    return { text: taken.toString('utf8'), segment };
  }

  /** The broker has them. */
  delivered({ segment }: Batch): void {
    segment.batchesOut -= 1;
    if (!isDelivered(segment) || !this.#segments.includes(segment)) return;
    if (segment === this.#segments.at(-1) && segment.store.isOnDisk) this.#empty(segment);
    else this.#remove(segment);
  }

  /** What was dropped since the last call, null when nothing was. */
  takeLoss(): Loss | null {
    const loss = this.#loss && { ...this.#loss, remaining: this.linesWaiting };
    this.#loss = null;
    return loss;
  }

  /** Gives the files back, as they are; what waits in memory is lost. */
  close(): void {
    for (const { store } of this.#segments) store.close();
    this.#segments = [];
  }

  #begin(): Segment {
    return this.#added(this.#makeStore());
  }

  #makeStore(): Store {
    try {
      return this.#folder.make();
    } catch (error) {
      this.#tell(error);
      return memoryStore();
    }
  }

  #added(store: Store): Segment {
    const segment = freshSegment(store);
    this.#segments.push(segment);
    return segment;
  }

  #write(segment: Segment, bytes: Buffer, lines: number): boolean {
    try {
      segment.store.append(bytes, segment.size);
    } catch (error) {
      this.#tell(error);
      if (segment.size === 0) this.#remove(segment);
      return false;
    }
    segment.size += bytes.length;
    segment.linesWaiting += lines;
    if (segment.store.isOnDisk) this.#tell(null);
    return true;
  }

  #keep(bytes: Buffer, lines: number): void {
    this.#write(this.#added(memoryStore()), bytes, lines);
  }

  /** The one that is written to starts anew, so that a buffer in use needs one small file. */
  #empty(segment: Segment): void {
    try {
      segment.store.cut(0);
      Object.assign(segment, { size: 0, readTo: 0 });
    } catch {
      this.#remove(segment);
    }
  }

  #remove(segment: Segment): void {
    this.#segments = this.#segments.filter((one) => one !== segment);
    try {
      segment.store.remove();
    } catch {
      // It holds nothing that is still needed; a disk that fails so is told of at the next write.
    }
  }

  #makeRoom(): void {
    const { maxBytes, memoryMaxBytes = MEMORY_MAX_BYTES } = this.#options;
    this.#dropUntil(true, maxBytes);
    this.#dropUntil(false, memoryMaxBytes);
  }

  #dropUntil(isOnDisk: boolean, maxBytes: number): void {
    for (;;) {
      const held = this.#segments.filter(({ store }) => store.isOnDisk === isOnDisk);
      const [oldest] = held;
      if (!oldest || held.reduce((sum, { size }) => sum + size, 0) <= maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(segment: Segment): void {
    if (segment.linesWaiting > 0) this.#count(segment);
    this.#remove(segment);
  }

  #count({ store, size, readTo, linesWaiting }: Segment): void {
    const lines = readOf({ store, readTo }, size - readTo)
      .toString('utf8')
      .trimEnd()
      .split('\n');
    const [first = '', last = ''] = [lines[0], lines.at(-1)];
    const before = this.#loss;
    this.#loss = { first: before?.first ?? first, last, purged: (before?.purged ?? 0) + linesWaiting };
  }

  /** A file that somebody shortened: what is missing is lost, the rest goes on. */
  #skipBroken(segment: Segment, maxBytes: number): Batch | undefined {
    segment.readTo = segment.size;
    segment.linesWaiting = 0;
    if (segment.batchesOut === 0) this.#remove(segment);
    return this.read(maxBytes);
  }

  #tell(error: unknown): void {
    const canWrite = error === null;
    if (canWrite === this.#canWrite) return;
    this.#canWrite = canWrite;
    this.#options.onDisk(canWrite ? null : error instanceof Error ? error.message : String(error));
  }
}

/** A file that cannot be read has nothing left in it. */
function readOf({ store, readTo }: Pick<Segment, 'store' | 'readTo'>, bytes: number): Buffer {
  try {
    return store.read(readTo, bytes);
  } catch {
    return Buffer.alloc(0);
  }
}
