import { randomUUID } from 'node:crypto';
import type { Placement } from '../domain/location.ts';
import { type Sighting, sessionOver } from '../domain/presence.ts';
import type { Visit } from '../domain/tag-state.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import type { TagLedger } from '../store/tag-ledger.ts';
import { newView, type TagView, type ViewState, viewFrom } from './view.ts';

/** Visits looked at when a tag comes back into view: as many antennas as can hear one tag at once. */
const VISITS_LOOKED_AT = 16;
const SWEEP_MS = 4;

export interface ViewsOptions {
  readonly store: Store;
  readonly ledger: TagLedger;
  readonly sessionGapMs: number;
  readonly visitGapMs: number;
  /** Tags held in view; past it the ones longest in view are let go (they lose their running session, nothing else). */
  readonly maxTags: number;
}

export interface EndedSession {
  readonly view: TagView;
  readonly sighting: Sighting;
}

/** The tags in view, by organisation and EPC: the only part of ingest whose memory follows the traffic, and bounded. */
export class Views {
  readonly #options: ViewsOptions;
  readonly #byOrg = new Map<number, Map<string, TagView>>();
  #count = 0;
  /** Where the sweep left off. */
  #rest: Generator<TagView> | null = null;
  evicted = 0;

  constructor(options: ViewsOptions) {
    this.#options = options;
  }

  /** Whether a sweep stopped half-way to leave the event loop free. */
  get sweeping(): boolean {
    return this.#rest !== null;
  }

  get count(): number {
    return this.#count;
  }

  /** The view of a tag, brought in from the store when it is not in view. A tag never seen gets a view without a number. */
  of(orgNo: number, epc: string, now: number): TagView {
    const views = this.#viewsOf(orgNo);
    const known = views.get(epc);
    // What the running batch holds stays: the batch itself sees to a tag deleted meanwhile.
    if (known && (known.next || !this.#forgotten(known))) return known;
    if (known) this.#drop(views, known);
    const view = this.#load(orgNo, epc, now);
    views.set(epc, view);
    if (++this.#count > this.#options.maxTags) this.#evictOldest(view);
    return view;
  }

  /** What is remembered of where a tag is; null when it is not in view. */
  placementOf(orgNo: number, epc: string): Placement | null {
    const view = this.#byOrg.get(orgNo)?.get(epc);
    return view && !this.#forgotten(view) ? view.state.placement : null;
  }

  /**
   * Ends sessions nothing arrived for, and lets go of tags whose visits are over too. Returns the ended sessions. It holds
   * the event loop for a few milliseconds at most: what it does not get to is next when it is called again.
   */
  sweep(now: number): readonly EndedSession[] {
    const until = performance.now() + SWEEP_MS;
    const ended: EndedSession[] = [];
    this.#rest ??= this.#all();
    for (let looked = 1; ; looked++) {
      const next = this.#rest.next();
      if (next.done) break;
      this.#sweepView(next.value, now, ended);
      if (looked % 64 === 0 && performance.now() > until) return ended;
    }
    this.#rest = null;
    return ended;
  }

  *#all(): Generator<TagView> {
    for (const views of this.#byOrg.values()) yield* views.values();
  }

  #sweepView(view: TagView, now: number, ended: EndedSession[]): void {
    const { sessionGapMs } = this.#options;
    const { sightings } = view.state;
    if (view.next || (sightings.length > 0 && !sightings.some((one) => now - one.arrivedAt > sessionGapMs)))
      return;
    for (const sighting of sightings) {
      if (sessionOver(sighting, now, sessionGapMs)) ended.push({ view, sighting });
    }
    const kept = this.#kept(view.state, now);
    if (kept.sightings.length === 0) this.#drop(this.#viewsOf(view.orgNo), view);
    else view.state = kept;
  }

  #kept(state: ViewState, now: number): ViewState {
    const { sessionGapMs, visitGapMs } = this.#options;
    const sightings = state.sightings
      .filter(({ arrivedAt }) => now - arrivedAt <= visitGapMs)
      .map((sighting) =>
        sessionOver(sighting, now, sessionGapMs) ? { ...sighting, inSession: false } : sighting,
      );
    return { ...state, sightings };
  }

  #load(orgNo: number, epc: string, now: number): TagView {
    const { store, ledger } = this.#options;
    const tagNo = store.get(tables.tagByEpc, [orgNo, epc]);
    const record = tagNo === undefined ? undefined : store.get(tables.tags, tagNo);
    if (tagNo === undefined || !record)
      return viewOf({ orgNo, epc, tagNo: 0, id: randomUUID(), state: newView });
    const state = viewFrom(ledger.states.get(tagNo), this.#openVisits(tagNo, now));
    return viewOf({ orgNo, epc, tagNo, id: record.id, state });
  }

  #openVisits(tagNo: number, now: number): readonly Sighting[] {
    const byAntenna = new Map<number, Visit>();
    for (const visit of this.#options.ledger.visits(tagNo, VISITS_LOOKED_AT)) {
      if (!byAntenna.has(visit.antennaNo)) byAntenna.set(visit.antennaNo, visit);
    }
    return Array.from(byAntenna.values(), (visit) => restingSighting(visit, now));
  }

  /** Deleted through the interface since it came into view. */
  #forgotten(view: TagView): boolean {
    return view.tagNo !== 0 && this.#options.ledger.states.orgNo(view.tagNo) === 0;
  }

  /** The organisation with most tags in view gives one up, so that none can crowd out another. */
  #evictOldest(newest: TagView): void {
    let views = this.#viewsOf(newest.orgNo);
    for (const others of this.#byOrg.values()) if (others.size > views.size) views = others;
    for (const view of views.values()) {
      if (view === newest || view.next) continue;
      this.#drop(views, view);
      this.evicted++;
      return;
    }
  }

  #drop(views: Map<string, TagView>, view: TagView): void {
    if (views.delete(view.epc)) this.#count--;
  }

  #viewsOf(orgNo: number): Map<string, TagView> {
    const known = this.#byOrg.get(orgNo);
    if (known) return known;
    const views = new Map<string, TagView>();
    this.#byOrg.set(orgNo, views);
    return views;
  }
}

/** Written out: on Node 20 a spread that is added to gives each object a shape of its own, and every access to it is slow. */
function viewOf({
  orgNo,
  epc,
  tagNo,
  id,
  state,
}: Pick<TagView, 'orgNo' | 'epc' | 'tagNo' | 'id' | 'state'>): TagView {
  return { orgNo, epc, tagNo, id, state, next: null, changed: [], closed: [] };
}

/** A visit from the store as a sighting without a session: it can be continued, and it tells repeats. */
function restingSighting(visit: Visit, now: number): Sighting {
  return {
    visit,
    startedAt: visit.firstAt,
    readCount: 0,
    rssiCdbm: null,
    arrivedAt: now,
    emittedAt: Number.NEGATIVE_INFINITY,
    emittedArrivalAt: Number.NEGATIVE_INFINITY,
    inSession: false,
  };
}
