import { randomUUID } from 'node:crypto';
import type { Config } from '../config/options.ts';
import type { LiveEvent } from '../contract/events.ts';
import type { PublishKind } from '../contract/topics.ts';
import { readerNoOf } from '../domain/tag-state.ts';
import { InventoryHistory } from '../features/inventory/inventory-history.ts';
import { Acknowledgements } from '../features/readers/acknowledgements.ts';
import { CommandOutbox } from '../features/readers/command-outbox.ts';
import { ReaderHistory } from '../features/readers/reader-history.ts';
import { Reconciler } from '../features/readers/reconcile.ts';
import { Activity } from '../ingest/activity.ts';
import { Diagnostics } from '../ingest/diagnostics.ts';
import { Ingest, type IngestOptions } from '../ingest/ingest.ts';
import { sessionEvent } from '../ingest/live-events.ts';
import { RecentReads } from '../ingest/recent-reads.ts';
import { rulesOf } from '../ingest/rules.ts';
import { takeStatus } from '../ingest/status.ts';
import { Views } from '../ingest/views.ts';
import type { LiveBus } from '../live/bus.ts';
import type { Log } from '../log/log.ts';
import { Directory } from '../store/directory.ts';
import type { OpenCommands } from '../store/open-commands.ts';
import type { Store } from '../store/store.ts';
import { TagLedger } from '../store/tag-ledger.ts';

const PASS_EVERY_MS = 1000;

export interface PipelineOptions {
  readonly config: Config;
  readonly store: Store;
  readonly commands: OpenCommands;
  readonly bus: LiveBus;
  readonly now: () => number;
  readonly writeBlocked: () => string | null;
  readonly describe?: IngestOptions['describe'];
  readonly onMoves?: IngestOptions['onMoves'];
  readonly moveWeight?: IngestOptions['moveWeight'];
  readonly log: Log;
}

/** A publish of a reader on one of its own topics. */
export interface ReaderMessage {
  readonly kind: PublishKind;
  readonly payload: Buffer;
}

/** Everything between a reader's message and the live stream, and between a command and its answer, put together once. */
export interface Pipeline {
  readonly directory: Directory;
  readonly ledger: TagLedger;
  readonly views: Views;
  readonly activity: Activity;
  readonly diagnostics: Diagnostics;
  readonly recent: RecentReads;
  readonly readerHistory: ReaderHistory;
  readonly inventoryHistory: InventoryHistory;
  readonly ingest: Ingest;
  readonly outbox: CommandOutbox;
  readonly acknowledgements: Acknowledgements;
  /** Takes a publish of a reader from the broker; false when it can't be taken now and must be sent again. */
  take(serial: string, message: ReaderMessage, settle: () => void): boolean;
  /** A reader's agent is there (again): what it was never told, or has not answered, goes out. */
  agentReturned(serial: string): void;
  /** Ends the sessions that are over and tells the stream. */
  endSessions(): void;
}

export function createPipeline(options: PipelineOptions): Pipeline {
  const { config, store, bus, now, writeBlocked, describe, onMoves, moveWeight, log } = options;
  const rules = rulesOf(config);
  const directory = new Directory(store);
  const ledger = new TagLedger(store);
  const activity = new Activity(store);
  const diagnostics = new Diagnostics();
  const views = new Views({ store, ledger, maxTags: config.ingest.maxTagsInView, ...rules });
  const listening = (orgId: string): boolean => bus.listening(orgId);
  const publish = (orgId: string, events: readonly LiveEvent[]): void => bus.publish(orgId, events);
  const recent = new RecentReads({ startedAt: now() });
  const parts = { store, directory, ledger, views, activity, diagnostics, recent };
  const ingest = new Ingest({
    ...parts,
    ...{ rules, now, listening, publish, writeBlocked, describe, onMoves, moveWeight, log },
  });
  const presenceMs = config.presence.windowSeconds * 1000;
  const commanding = createCommanding(options, { directory, diagnostics });
  const { acknowledgements } = commanding;
  return {
    ...parts,
    ...commanding,
    readerHistory: new ReaderHistory({
      ...{ directory, activity, now },
      takeCounted: (antennaNo) => recent.takeCounted(antennaNo),
    }),
    inventoryHistory: new InventoryHistory({ directory, states: ledger.states, now, presenceMs }),
    ingest,
    take: (serial, { kind, payload }, settle) => {
      if (kind === 'events') return ingest.accept(serial, payload, settle);
      if (kind === 'status') takeStatus(serial, payload, { directory, activity, diagnostics, now });
      else activity.heard(serial, now());
      if (kind === 'command-response') acknowledgements.take(serial, payload, settle);
      else settle();
      return true;
    },
    endSessions: sessionEnds({ views, directory, bus, now }),
  };
}

type Commanding = Pick<Pipeline, 'outbox' | 'acknowledgements' | 'agentReturned'>;

function createCommanding(
  { store, commands, now, writeBlocked, log }: PipelineOptions,
  { directory, diagnostics }: Pick<Pipeline, 'directory' | 'diagnostics'>,
): Commanding {
  const outbox = new CommandOutbox({ store, commands, now, log });
  const reconciler = new Reconciler({ store, outbox, writeBlocked, now, newId: randomUUID, log });
  return {
    outbox,
    acknowledgements: new Acknowledgements({
      ...{ store, directory, commands, diagnostics, writeBlocked, now, log },
    }),
    agentReturned: (serial) => {
      const context = directory.reader(serial);
      if (context) reconciler.agentReturned({ orgId: context.orgId, readerId: context.reader.id });
    },
  };
}

interface SessionEnds {
  readonly views: Views;
  readonly directory: Directory;
  readonly bus: LiveBus;
  readonly now: () => number;
}

/** A pass over all tags in view once a second; the calls in between go on with one that is not through. */
function sessionEnds({ views, directory, bus, now }: SessionEnds): () => void {
  let passBegan = Number.NEGATIVE_INFINITY;
  return () => {
    if (!views.sweeping && now() - passBegan < PASS_EVERY_MS && now() >= passBegan) return;
    if (!views.sweeping) passBegan = now();
    endSessions({ views, directory, bus, now: now() });
  };
}

function endSessions(at: { views: Views; directory: Directory; bus: LiveBus; now: number }): void {
  const byOrg = new Map<string, LiveEvent[]>();
  for (const { view, sighting } of at.views.sweep(at.now)) {
    const reader = at.directory.readerByNo(readerNoOf(sighting.visit.antennaNo));
    if (!reader || !at.bus.listening(reader.orgId)) continue;
    const events = byOrg.get(reader.orgId) ?? [];
    byOrg.set(reader.orgId, events);
    events.push(sessionEvent('session_ended', view, { sighting, readerId: reader.reader.id }));
  }
  for (const [orgId, events] of byOrg) at.bus.publish(orgId, events);
}
