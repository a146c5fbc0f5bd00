import type { ListedTag } from '../../test/support/rest-pages.ts';
import { epcOf } from '../bench/fleet.ts';

/** One read on its way: the number of its tag, and its time. */
export interface SoakRead {
  readonly tag: number;
  /** Epoch ms; of one tag no two reads have the same. */
  readonly at: number;
}

/**
 * What was sent and acknowledged of numbered tags: three times a tag, so that hours of reads need no more than a minute.
 * It finds the loss of any tag's last acknowledged read, and of the only read of a tag that is read once.
 */
export class SoakLedger {
  readonly #sentAt: Float64Array;
  readonly #firstAckedAt: Float64Array;
  readonly #lastAckedAt: Float64Array;
  /** Reads that were told to be stored, each once. */
  acknowledged = 0;

  constructor(tags: number) {
    this.#sentAt = new Float64Array(tags);
    this.#firstAckedAt = new Float64Array(tags).fill(Number.POSITIVE_INFINITY);
    this.#lastAckedAt = new Float64Array(tags);
  }

  /** A read of this tag now, later than the one before. */
  next(tag: number): SoakRead {
    const at = Math.max(Date.now(), (this.#sentAt[tag] ?? 0) + 1);
    this.#sentAt[tag] = at;
    return { tag, at };
  }

  took({ tag, at }: SoakRead): void {
    this.acknowledged++;
    this.#firstAckedAt[tag] = Math.min(this.#firstAckedAt[tag] ?? 0, at);
    this.#lastAckedAt[tag] = Math.max(this.#lastAckedAt[tag] ?? 0, at);
  }

  /** Every way in which what REST tells of all tags contradicts what was acknowledged; empty when none. */
  faultsIn(tags: readonly ListedTag[]): readonly string[] {
    const listed = new Map(tags.map((tag) => [tag.epc, tag]));
    const faults = listed.size === tags.length ? [] : [`${tags.length - listed.size} tags are listed twice`];
    this.#lastAckedAt.forEach((lastAt, tag) => {
      const epc = epcOf(tag);
      const found = listed.get(epc);
      if (lastAt === 0) return;
      if (!found) faults.push(`${epc} was acknowledged and is gone`);
      else if (Date.parse(String(found.lastSeenAt)) < lastAt)
        faults.push(`${epc} was last seen at ${found.lastSeenAt}, before what was acknowledged`);
      else if (!(Date.parse(String(found.firstSeenAt)) <= (this.#firstAckedAt[tag] ?? 0)))
        faults.push(`${epc} was first seen after what was acknowledged`);
    });
    return faults;
  }
}
