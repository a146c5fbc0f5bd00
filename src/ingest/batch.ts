import type { LiveEvent } from '../contract/events.ts';
import type { TagRead } from '../domain/read.ts';
import type { Directory, PortContext, ReaderContext } from '../store/directory.ts';
import type { Touch } from '../store/journal.ts';
import type { Tx } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import type { TagLedger } from '../store/tag-ledger.ts';
import { sessionEvent, tagMovedEvent, tagReadEvent } from './live-events.ts';
import { type Step, type StepRules, stepRead } from './step.ts';
import { type TagView, touchesOf } from './view.ts';
import type { Views } from './views.ts';

export interface BatchContext {
  readonly views: Views;
  readonly directory: Directory;
  readonly ledger: TagLedger;
  readonly rules: StepRules;
  /** Whether anybody listens to an organisation's stream: else no event is made. */
  readonly listening: (orgId: string) => boolean;
}

/** What the live stream is told once the batch is durable: by then a new tag has its final id. */
interface Sign {
  readonly view: TagView;
  readonly step: Step;
  readonly reader: ReaderContext;
  readonly port: PortContext;
}

/** Reads taken together: stepped in memory, written in one transaction, then taken over, then published. */
export class Batch {
  readonly #context: BatchContext;
  readonly #views: TagView[] = [];
  readonly #signs: Sign[] = [];
  #touches: readonly Touch[] = [];
  #fresh: TagView[] = [];

  constructor(context: BatchContext) {
    this.#context = context;
  }

  get empty(): boolean {
    return this.#views.length === 0;
  }

  /** Takes one read in. False when it is a repeat. */
  add(reader: ReaderContext, read: TagRead, now: number): boolean {
    const { views, directory, rules } = this.#context;
    const view = views.of(reader.orgNo, read.epc, now);
    const port = reader.ports[read.antennaPort ?? 0] ?? reader.ports[0];
    if (!port) return false;
    const step = stepRead(view.next ?? view.state, {
      read,
      place: port,
      now,
      rules,
      zoneOf: (zoneNo) => directory.zoneByNo(zoneNo),
    });
    if (!step) return false;
    if (!view.next) this.#views.push(view);
    view.next = step.state;
    if (!view.changed.includes(port.antennaNo)) view.changed.push(port.antennaNo);
    if ((step.emit || step.move) && this.#context.listening(reader.orgId)) {
      this.#signs.push({ view, step, reader, port });
    }
    return true;
  }

  /** Numbers new tags and journals the batch. Runs inside the transaction; may run again after a failed one. */
  write(tx: Tx, now: number): void {
    this.#fresh = this.#views.filter((view) => view.tagNo === 0);
    for (const view of this.#fresh) number(tx, view, now);
    this.#touches = this.#views.flatMap(touchesOf);
    this.#context.ledger.append(tx, this.#touches);
  }

  /** The transaction failed: the numbers it gave are not given. */
  rolledBack(): void {
    for (const view of this.#fresh) view.tagNo = 0;
  }

  /** The transaction is durable: what it said is now the state. Returns the events to publish, by organisation. */
  committed(): ReadonlyMap<string, readonly LiveEvent[]> {
    this.#context.ledger.applied(this.#touches);
    for (const view of this.#views) {
      if (view.next) view.state = view.next;
      view.next = null;
      view.changed = [];
    }
    return this.#built();
  }

  #built(): ReadonlyMap<string, readonly LiveEvent[]> {
    const byOrg = new Map<string, LiveEvent[]>();
    for (const sign of this.#signs) {
      const { orgId } = sign.reader;
      const events = byOrg.get(orgId) ?? [];
      byOrg.set(orgId, events);
      this.#build(sign, events);
    }
    return byOrg;
  }

  #build({ view, step, reader, port }: Sign, events: LiveEvent[]): void {
    const session = { sighting: step.sighting, readerId: reader.reader.id };
    if (step.started && step.emit) events.push(sessionEvent('session_started', view, session));
    if (step.emit) events.push(tagReadEvent(view, step.sighting, { reader, port }));
    const moved = step.move && tagMovedEvent(view, step.move, this.#context.directory);
    if (moved) events.push(moved);
  }
}

/** Gives a tag seen for the first time its number, unless somebody made it through the interface meanwhile. */
function number(tx: Tx, view: TagView, now: number): void {
  const known = tx.get(tables.tagByEpc, [view.orgNo, view.epc]);
  const record = known === undefined ? undefined : tx.get(tables.tags, known);
  if (known !== undefined && record) {
    view.tagNo = known;
    view.id = record.id;
    return;
  }
  view.tagNo = tx.next('lastTagNo');
  tx.put(tables.tags, view.tagNo, { id: view.id, orgNo: view.orgNo, epc: view.epc, createdAt: now });
  tx.put(tables.tagByEpc, [view.orgNo, view.epc], view.tagNo);
}
