import type { ListedTag } from './rest-pages.ts';

export interface SentRead {
  readonly epc: string;
  readonly port: number;
  /** Epoch ms; of one EPC no two reads have the same. */
  readonly at: number;
}

interface History {
  /** The zone of each read that may have been stored, by its time. */
  readonly zoneAt: Map<number, string>;
  lastAt: number;
  firstAcknowledgedAt: number;
  lastAcknowledgedAt: number;
}

/** What readers sent and what was acknowledged to them: the measure of what the store must hold. */
export class ReadLedger {
  acknowledged = 0;
  readonly #byEpc = new Map<string, History>();

  /** The time of the next read of an EPC: now, but later than the one before. */
  nextAt(epc: string): number {
    return Math.max(Date.now(), (this.#byEpc.get(epc)?.lastAt ?? 0) + 1);
  }

  sent({ epc, at }: SentRead, zone: string): void {
    const history = this.#of(epc);
    history.zoneAt.set(at, zone);
    history.lastAt = Math.max(history.lastAt, at);
  }

  took({ epc, at }: SentRead): void {
    const history = this.#of(epc);
    history.firstAcknowledgedAt = Math.min(history.firstAcknowledgedAt, at);
    history.lastAcknowledgedAt = Math.max(history.lastAcknowledgedAt, at);
    this.acknowledged++;
  }

  get acknowledgedTags(): number {
    let count = 0;
    for (const { lastAcknowledgedAt } of this.#byEpc.values()) if (lastAcknowledgedAt > 0) count++;
    return count;
  }

  /** Tags of which a read was acknowledged and that are not among those given. */
  missingFrom(epcs: ReadonlySet<string>): readonly string[] {
    return [...this.#byEpc].flatMap(([epc, { lastAcknowledgedAt }]) =>
      lastAcknowledgedAt > 0 && !epcs.has(epc) ? [epc] : [],
    );
  }

  /** Every way in which what REST tells of all tags contradicts what was acknowledged or sent; empty when none. */
  faultsIn(tags: readonly ListedTag[]): readonly string[] {
    const listed = new Map(tags.map((tag) => [tag.epc, tag]));
    const faults = tags.length === listed.size ? [] : [`${tags.length - listed.size} tags are listed twice`];
    if (new Set(tags.map(({ id }) => id)).size !== tags.length) faults.push('two tags share an id');
    for (const [epc, history] of this.#byEpc) {
      const tag = listed.get(epc);
      if (tag) faults.push(...faultsOf(tag, history));
      else if (history.lastAcknowledgedAt > 0) faults.push(`${epc} was acknowledged and is gone`);
    }
    for (const epc of listed.keys()) if (!this.#byEpc.has(epc)) faults.push(`${epc} was never sent`);
    return faults;
  }

  #of(epc: string): History {
    const known = this.#byEpc.get(epc);
    if (known) return known;
    const history = {
      zoneAt: new Map<number, string>(),
      lastAt: 0,
      firstAcknowledgedAt: Number.POSITIVE_INFINITY,
      lastAcknowledgedAt: 0,
    };
    this.#byEpc.set(epc, history);
    return history;
  }
}

function faultsOf(tag: ListedTag, history: History): readonly string[] {
  const faults: string[] = [];
  const last = Date.parse(String(tag.lastSeenAt));
  const first = Date.parse(String(tag.firstSeenAt));
  const zone = history.zoneAt.get(last);
  if (last < history.lastAcknowledgedAt)
    faults.push(`${tag.epc} was last seen at ${tag.lastSeenAt}, before what was acknowledged`);
  if (!(first <= history.firstAcknowledgedAt))
    faults.push(`${tag.epc} was first seen after what was acknowledged`);
  if (!history.zoneAt.has(first) || zone === undefined)
    faults.push(`${tag.epc} has times that no read of it had`);
  else if (zone !== tag.zoneName)
    faults.push(`${tag.epc} is in ${tag.zoneName}, its newest read was in ${zone}`);
  return faults;
}
