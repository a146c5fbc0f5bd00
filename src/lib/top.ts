/** One chosen entry: what it is ranked by, and its number. */
export interface Ranked {
  readonly key: number;
  readonly no: number;
}

/** Whether `a` ranks below `b`: by key, equal keys by number. */
export function ranksBelow(a: Ranked, b: Ranked): boolean {
  return a.key < b.key || (a.key === b.key && a.no < b.no);
}

/** Below every entry there can be. */
export const bottom: Ranked = { key: Number.NEGATIVE_INFINITY, no: -1 };

/**
 * Keeps the highest-ranking `capacity` of any number of entries, in fixed memory. Keys are any numbers but NaN, numbers
 * are not negative. Nothing that ranks below `least` is kept.
 */
export class Top {
  readonly #keys: Float64Array;
  readonly #nos: Float64Array;
  #size = 0;
  #floor: number;
  #floorNo: number;

  constructor(capacity: number, least: Ranked = bottom) {
    this.#keys = new Float64Array(capacity);
    this.#nos = new Float64Array(capacity);
    this.#floor = least.key;
    this.#floorNo = least.no;
  }

  /** Whether nothing more is taken in without something else going out. */
  get full(): boolean {
    return this.#size === this.#keys.length;
  }

  /** Entries with a lower key are certain to be left out: a loop over many can skip them without a call. */
  get floor(): number {
    return this.#floor;
  }

  /** The lowest number that an entry with the key `floor` needs to be kept. */
  get floorNo(): number {
    return this.#floorNo;
  }

  /** The lowest-ranking entry kept, or `bottom` while not full. */
  get lowest(): Ranked {
    return this.full && this.#size > 0 ? { key: this.#key(0), no: this.#no(0) } : bottom;
  }

  /** Whether an entry would be kept; asked where finding out more about it costs something. */
  takes(key: number, no: number): boolean {
    return key > this.#floor || (key === this.#floor && no >= this.#floorNo);
  }

  /** Takes the entry in if it ranks high enough; equal keys are ranked by number. Allocates nothing. */
  offer(key: number, no: number): void {
    if (this.#keys.length === 0 || !this.takes(key, no)) return;
    if (!this.full) this.#rise(this.#size++, key, no);
    else if (this.#isBelow(0, key, no)) this.#sink(key, no);
    if (!this.full) return;
    this.#floor = this.#key(0);
    this.#floorNo = this.#no(0);
  }

  /** Everything kept, the highest-ranking first. */
  ranked(): readonly Ranked[] {
    const kept = Array.from({ length: this.#size }, (_, i) => ({ key: this.#key(i), no: this.#no(i) }));
    return kept.sort((a, b) => (ranksBelow(a, b) ? 1 : -1));
  }

  // A heap with the lowest-ranking entry at the root, in two columns.
  #rise(from: number, key: number, no: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#isBelow(parent, key, no)) break;
      this.#set(at, this.#key(parent), this.#no(parent));
      at = parent;
    }
    this.#set(at, key, no);
  }

  #sink(key: number, no: number): void {
    let at = 0;
    for (let child = 1; child < this.#size; child = 2 * at + 1) {
      const right = child + 1;
      const lower =
        right < this.#size && this.#isBelow(right, this.#key(child), this.#no(child)) ? right : child;
      if (!this.#isBelow(lower, key, no)) break;
      this.#set(at, this.#key(lower), this.#no(lower));
      at = lower;
    }
    this.#set(at, key, no);
  }

  #isBelow(index: number, key: number, no: number): boolean {
    const own = this.#key(index);
    return own < key || (own === key && this.#no(index) < no);
  }

  #key(index: number): number {
    return this.#keys[index] ?? 0;
  }

  #no(index: number): number {
    return this.#nos[index] ?? 0;
  }

  #set(index: number, key: number, no: number): void {
    this.#keys[index] = key;
    this.#nos[index] = no;
  }
}
