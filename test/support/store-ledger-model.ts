import type { TagState, Visit } from '../../src/domain/tag-state.ts';
import type { Touch } from '../../src/store/journal.ts';
import type { Store } from '../../src/store/store.ts';
import type { TagLedger } from '../../src/store/tag-ledger.ts';
import { listVisits } from '../../src/store/visits.ts';

interface Known {
  readonly orgNo: number;
  readonly state: TagState;
  readonly visits: ReadonlyMap<string, Visit>;
}

export interface ModelRead {
  readonly tagNo: number;
  readonly at: number;
  readonly antennaNo: number;
  readonly zoneNo: number;
  /** Begins another zone stay instead of growing the last one. */
  readonly anew?: boolean;
}

/** What a ledger must hold: plain maps of everything that was committed. */
export function ledgerModel() {
  let tags = new Map<number, Known>();
  let before = tags;
  const change = (tagNo: number, known: Known | null): void => {
    before = tags;
    tags = new Map(tags);
    if (known) tags.set(tagNo, known);
    else tags.delete(tagNo);
  };
  return {
    tagNos: () => [...tags.keys()],
    /** A snapshot, for `restore`. */
    save: () => tags,
    restore: (saved: Map<number, Known>) => {
      tags = saved;
    },
    undo: () => {
      tags = before;
    },
    /** Takes one read in and gives the touch that tells it. */
    touch({ tagNo, at, antennaNo, zoneNo, anew = false }: ModelRead): Touch {
      const known = tags.get(tagNo);
      const last = [...(known?.visits.values() ?? [])].filter((one) => one.antennaNo === antennaNo).at(-1);
      const visit =
        last && !anew
          ? { ...last, lastAt: at, reads: last.reads + 1 }
          : { antennaNo, zoneNo, firstAt: at, lastAt: at, reads: 1 };
      const state: TagState = {
        firstSeenAt: known?.state.firstSeenAt ?? at,
        lastSeenAt: at,
        zoneNo,
        zoneSince: at,
        zoneSeenAt: zoneNo === 0 ? Number.NaN : at,
        antennaNo,
      };
      const visits = new Map(known?.visits).set(`${visit.firstAt}/${antennaNo}`, visit);
      change(tagNo, { orgNo: 1, state, visits });
      return { tagNo, orgNo: 1, state, visit };
    },
    forget: (tagNo: number) => change(tagNo, null),
    /** What differs between the model and the ledger (and, after a checkpoint, the tables): one line each. */
    difference(store: Store, ledger: TagLedger, tables = ledger.pending === 0): readonly string[] {
      const faults: string[] = [];
      const check = (what: string, found: unknown, expected: unknown): void => {
        const [a, b] = [text(found), text(expected)];
        if (a !== b) faults.push(`${what}: found ${a}, expected ${b}`);
      };
      for (let tagNo = 0; tagNo < ledger.states.size; tagNo++) {
        const known = tags.get(tagNo);
        check(`org of ${tagNo}`, ledger.states.orgNo(tagNo), known?.orgNo ?? 0);
        if (known) check(`state of ${tagNo}`, ledger.states.get(tagNo), known.state);
        const visits = [...(known?.visits.values() ?? [])].sort(
          (a, b) => b.firstAt - a.firstAt || b.antennaNo - a.antennaNo,
        );
        check(`visits of ${tagNo}`, ledger.visits(tagNo, 1000), visits);
        if (tables) check(`table of ${tagNo}`, listVisits(store, tagNo, 1000), visits);
      }
      for (const tagNo of tags.keys()) if (tagNo >= ledger.states.size) faults.push(`no state of ${tagNo}`);
      return faults;
    },
  };
}

/** In one order of members, NaN kept apart from null. */
function text(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (Number.isNaN(member)) return 'NaN';
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
