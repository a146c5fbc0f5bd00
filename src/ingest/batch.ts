import { randomUUID } from 'node:crypto';
import type { LiveEvent } from '../contract/events.ts';
import type { Move } from '../domain/location.ts';
import type { TagRead } from '../domain/read.ts';
import type { Visit } from '../domain/tag-state.ts';
import type { Directory, PortContext, ReaderContext } from '../store/directory.ts';
import type { Tx } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import type { JournalEntry, TagLedger } from '../store/tag-ledger.ts';
import { type DescribeTag, sessionEvent, tagMovedEvent, tagReadEvent, undescribed } from './live-events.ts';
import type { RecentReads } from './recent-reads.ts';
import { type Step, type StepInput, type StepRules, stepRead } from './step.ts';
import { reborn, type TagView, touchesOf, type ViewState } from './view.ts';
import type { Views } from './views.ts';

export interface BatchContext {
  readonly views: Views;
  readonly directory: Directory;
  readonly ledger: TagLedger;
  readonly rules: StepRules;
  /** Whether anybody listens to an organisation's stream: else no event is made. */
  readonly listening: (orgId: string) => boolean;
  /** What people call a tag and say of it, for the events; asked for every event, so it must be quick. */
  readonly describe?: DescribeTag | undefined;
  /** Told of every move within the transaction that makes it durable; it may run again after a failed one. */
  readonly onMoves?: ((tx: Tx, moves: readonly TagMove[]) => void) | undefined;
  /** What `onMoves` costs for a move of an organisation's tag, in reads of known tags; nothing when left out. */
  readonly moveWeight?: ((orgId: string) => number) | undefined;
  /** Is given every read that is stored. Then one batch at a time. */
  readonly recent?: RecentReads | undefined;
}

/** A tag's change of zone. */
export interface TagMove {
  readonly orgId: string;
  readonly tagNo: number;
  readonly move: Move;
}

const NEW_TAG_WEIGHT = 10;
const SIGN_WEIGHT = 2;

/** What the live stream is told once the batch is durable: by then a new tag has its final id. */
interface Sign {
  readonly view: TagView;
  readonly step: Step;
  readonly reader: ReaderContext;
  readonly port: PortContext;
}

/** A view the transaction gave a number, and what it was before. */
interface Numbered {
  readonly view: TagView;
  readonly tagNo: number;
  readonly id: string;
  readonly next: ViewState | null;
  readonly closed: Visit[];
}

/** Reads taken together: stepped in memory, written in one transaction, then taken over, then published. */
export class Batch {
  readonly #context: BatchContext;
  readonly #views: TagView[] = [];
  readonly #signs: Sign[] = [];
  readonly #moves: { readonly orgId: string; readonly view: TagView; readonly move: Move }[] = [];
  readonly #zoneOf: StepInput['zoneOf'];
  #reads = 0;
  #newTags = 0;
  #movesWeight = 0;
  #entry: JournalEntry | null = null;
  #numbered: Numbered[] = [];

  constructor(context: BatchContext) {
    this.#context = context;
    this.#zoneOf = (zoneNo) => context.directory.zoneByNo(zoneNo);
    context.recent?.begin();
  }

  /**
   * What the batch will cost to write and to tell, in reads of known tags. A new tag costs two index entries and a record;
   * an event is built and framed; a move is told to whoever wants it.
   */
  get weight(): number {
    return (
      this.#reads + this.#newTags * NEW_TAG_WEIGHT + this.#signs.length * SIGN_WEIGHT + this.#movesWeight
    );
  }

  get empty(): boolean {
    return this.#views.length === 0;
  }

  /** Takes one read in. False when it is a repeat. */
  add(reader: ReaderContext, read: TagRead, now: number): boolean {
    const { views, rules } = this.#context;
    const view = views.of(reader.orgNo, read.epc, now);
    const port = reader.ports[read.antennaPort ?? 0] ?? reader.ports[0];
    if (!port) return false;
    const step = stepRead(view.next ?? view.state, {
      read,
      place: port,
      now,
      rules,
      zoneOf: this.#zoneOf,
    });
    this.#reads++;
    if (!step) return false;
    if (!view.next) {
      this.#views.push(view);
      if (view.tagNo === 0) this.#newTags++;
    }
    view.next = step.state;
    // History from before the first read known is older than what its antenna already told: it counts for nothing else.
    if (!(read.readerAt !== null && read.readerAt < step.sighting.visit.lastAt))
      this.#context.recent?.stage(view, read, step.sighting);
    if (!view.changed.includes(port.antennaNo)) view.changed.push(port.antennaNo);
    else if (step.closed) view.closed.push(step.closed);
    if (step.move) {
      this.#moves.push({ orgId: reader.orgId, view, move: step.move });
      this.#movesWeight += this.#context.moveWeight?.(reader.orgId) ?? 0;
    }
    if ((step.emit || step.move) && this.#context.listening(reader.orgId)) {
      this.#signs.push({ view, step, reader, port });
    }
    return true;
  }

  /** Numbers new tags and journals the batch. Runs inside the transaction; may run again after a failed one. */
  write(tx: Tx, now: number): void {
    const { ledger, onMoves } = this.#context;
    const deletionAhead = ledger.deletionAhead(tx);
    this.#numbered = [];
    for (const view of this.#views) {
      const { tagNo, id, next, closed } = view;
      const known = tagNo !== 0 && ledger.states.orgNo(tagNo) !== 0;
      if (known && !(deletionAhead && !tx.get(tables.tags, tagNo))) continue;
      this.#numbered.push({ view, tagNo, id, next, closed });
      number(tx, view, now);
    }
    this.#entry = ledger.append(tx, this.#views.flatMap(touchesOf));
    if (onMoves && this.#moves.length > 0) {
      onMoves(
        tx,
        this.#moves.map(({ orgId, view, move }) => ({ orgId, tagNo: view.tagNo, move })),
      );
    }
  }

  /** The transaction failed: the numbers it gave are not given. */
  rolledBack(): void {
    for (const { view, ...before } of this.#numbered) Object.assign(view, before);
    this.#numbered = [];
  }

  /** The transaction is durable: what it said is now the state. Call it at once, without waiting for more. */
  committed(): void {
    if (this.#entry) this.#context.ledger.applied(this.#entry);
    this.#context.recent?.commit();
    for (const view of this.#views) {
      if (view.next) view.state = view.next;
      view.next = null;
      view.changed = [];
      view.closed = [];
    }
  }

  /** The events to publish after the commit, by organisation. */
  events(): ReadonlyMap<string, readonly LiveEvent[]> {
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
    const { describe, directory } = this.#context;
    const session = { sighting: step.sighting, readerId: reader.reader.id };
    const told = describe?.(reader.orgId, view.tagNo) ?? undescribed;
    if (step.started && step.emit) events.push(sessionEvent('session_started', view, session));
    if (step.emit) events.push(tagReadEvent(view, step.sighting, { reader, port, told }));
    const moved = step.move && tagMovedEvent(view, step.move, { directory, told });
    if (moved) events.push(moved);
  }
}

/**
 * Gives a tag its number: the one it has when somebody made it through the interface meanwhile, else a new one. A tag
 * that was deleted meanwhile comes back as a new one.
 */
function number(tx: Tx, view: TagView, now: number): void {
  const known = tx.get(tables.tagByEpc, [view.orgNo, view.epc]);
  const record = known === undefined ? undefined : tx.get(tables.tags, known);
  const was = view.tagNo;
  const id = was === 0 ? view.id : randomUUID();
  view.tagNo = known !== undefined && record ? known : tx.next('lastTagNo');
  view.id = record?.id ?? id;
  if (was !== 0 && was !== view.tagNo) {
    view.next = reborn(view);
    view.closed = [];
  }
  if (record) return;
  tx.put(tables.tags, view.tagNo, { id, orgNo: view.orgNo, epc: view.epc, createdAt: now });
  tx.put(tables.tagByEpc, [view.orgNo, view.epc], view.tagNo);
}
