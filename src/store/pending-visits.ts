import type { Visit } from '../domain/tag-state.ts';

/** Zone stays that are journalled but not yet in their table, by tag: each as it stood last. */
export class PendingVisits {
  readonly #byTag = new Map<number, Visit[]>();

  /** Takes a stay as it stands now, in place of what was known of the same stay (same antenna, same first read). */
  put(tagNo: number, visit: Visit): void {
    const visits = this.#byTag.get(tagNo);
    if (!visits) {
      this.#byTag.set(tagNo, [visit]);
      return;
    }
    const at = visits.findLastIndex((one) => sameVisit(one, visit));
    if (at < 0) visits.push(visit);
    else visits[at] = visit;
  }

  of(tagNo: number): readonly Visit[] {
    return this.#byTag.get(tagNo) ?? [];
  }

  /** The tag was deleted. */
  forget(tagNo: number): void {
    this.#byTag.delete(tagNo);
  }

  *entries(): Iterable<readonly [tagNo: number, visit: Visit]> {
    for (const [tagNo, visits] of this.#byTag) for (const visit of visits) yield [tagNo, visit];
  }
}

/** Whether two records are of one stay: the later of them replaces the other. */
export function sameVisit(a: Visit, b: Visit): boolean {
  return a.firstAt === b.firstAt && a.antennaNo === b.antennaNo;
}
