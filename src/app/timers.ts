import { randomUUID } from 'node:crypto';
import type { Config } from '../config/options.ts';
import type { TagSearch } from '../features/tags/search-tags.ts';
import type { WebhookDeliverer } from '../features/webhooks/deliverer.ts';
import type { SteadyClock } from '../lib/steady-clock.ts';
import type { LiveBus } from '../live/bus.ts';
import type { Log } from '../log/log.ts';
import { purgeAudit } from '../store/audit-log.ts';
import type { DiskGuard } from '../store/disk-guard.ts';
import { isCallerLive, purgeSessions } from '../store/sessions.ts';
import type { Store } from '../store/store.ts';
import { createCommandTimeouts } from '../sweep/command-timeouts.ts';
import { createDeletedFieldsSweep } from '../sweep/deleted-fields.ts';
import { createDiskWarning } from '../sweep/disk-warning.ts';
import { createMissingSweep } from '../sweep/missing-assets.ts';
import { createReaderAlerts } from '../sweep/reader-alerts.ts';
import { createRetention, type RetentionOptions } from '../sweep/retention.ts';
import { type Sweeper, type SweepTask, startSweeper } from '../sweep/sweeper.ts';
import { diagnosticsTask } from './diagnostics-file.ts';
import type { Pipeline } from './pipeline.ts';
import type { Registers } from './registers.ts';

/** A few milliseconds of reading each, so that reads hardly notice: a million tags take minutes after a start. */
const WARM_EVERY_MS = 100;
/** Often enough to keep up with an import: the search after it would have to read all its rows. */
const KEEP_UP_EVERY_MS = 20;
const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export interface TimersOptions {
  readonly config: Config;
  readonly store: Store;
  readonly disk: DiskGuard;
  readonly clock: SteadyClock;
  readonly bus: LiveBus;
  readonly now: () => number;
  readonly log: Log;
  readonly pipeline: Pipeline;
  readonly registers: Registers;
  readonly search: TagSearch;
  readonly webhooks: WebhookDeliverer;
}

/** Starts everything that time decides. What writes stands still while the disk is full. */
export function startTimers(options: TimersOptions): Sweeper {
  const { disk, pipeline, search } = options;
  const unlessFull = (task: SweepTask): SweepTask => ({
    ...task,
    run: () => (disk.blocked === null ? task.run() : undefined),
  });
  const warning = createDiskWarning({ disk, log: options.log });
  const tasks = [
    { name: 'sessions', everyMs: 250, run: () => pipeline.endSessions() },
    { name: 'search', everyMs: WARM_EVERY_MS, run: warming(search) },
    { name: 'search of what was written', everyMs: KEEP_UP_EVERY_MS, run: () => search.keepUp() },
    { name: 'checkpoint', everyMs: 5 * SECOND, run: () => checkpoint(options) },
    { name: 'streams', everyMs: SECOND, run: () => closeRevoked(options) },
    { name: 'disk warning', everyMs: 10 * SECOND, run: warning.run },
    { name: 'activity', everyMs: 5 * SECOND, run: () => pipeline.activity.save() },
    { name: 'reader history', everyMs: SECOND, run: () => pipeline.readerHistory.sample() },
    { name: 'inventory history', everyMs: SECOND, run: () => pipeline.inventoryHistory.sample() },
    { name: 'disk', everyMs: SECOND, run: () => disk.check() },
    diagnosticsTask({ ...options, dataDir: options.config.dataDir }),
    ...[...decisions(options), ...cleaning(options)].map(unlessFull),
  ];
  return startSweeper(tasks, options.log.child({ name: 'sweep' }));
}

/** Asks the store whether there is anything to read; once there is not, no more than once a second. */
function warming(search: TagSearch): () => void {
  let idleUntil = 0;
  return () => {
    if (performance.now() < idleUntil) return;
    if (!search.warm()) idleUntil = performance.now() + SECOND;
  };
}

/** What is due is decided within a second or two. */
function decisions({ config, store, now, pipeline, registers }: TimersOptions): readonly SweepTask[] {
  const { activity, ledger } = pipeline;
  const house = { store, now, newId: randomUUID };
  const alerts = createReaderAlerts({
    ...house,
    activity,
    startedAt: now(),
    noDataMs: config.readers.noDataSeconds * SECOND,
    offlineMs: config.alerts.readerOfflineSeconds * SECOND,
    hotCelsius: config.alerts.readerHotCelsius,
  });
  const missing = createMissingSweep({
    ...house,
    links: registers.links,
    states: ledger.states,
    missingAfterMs: config.assets.missingAfterMinutes * 60 * SECOND,
  });
  const timeouts = createCommandTimeouts({
    ...{ store, now, commands: registers.commands },
    ackTimeoutMs: config.commands.ackTimeoutSeconds * SECOND,
  });
  return [
    { name: 'command timeouts', everyMs: SECOND, run: () => timeouts.run() },
    // Not waited for: an agent that does not read holds up its own command only.
    { name: 'unsent commands', everyMs: SECOND, run: () => void pipeline.outbox.sendOpen() },
    { name: 'reader alerts', everyMs: SECOND, run: () => alerts.run() },
    { name: 'missing assets', everyMs: SECOND, run: () => missing.run() },
  ];
}

/** What is to be told goes out; what is over is taken away in slices. */
function cleaning(options: TimersOptions): readonly SweepTask[] {
  const { config, store, now, clock, webhooks } = options;
  const fields = createDeletedFieldsSweep(store);
  const retention = createRetention(retentionOptions(options));
  const auditMs = config.retention.auditDays * DAY;
  const trimAudit = () => (clock.isSteady() ? purgeAudit(store, now() - auditMs) : undefined);
  return [
    { name: 'webhooks', everyMs: 250, run: () => webhooks.run() },
    { name: 'deleted fields', everyMs: SECOND, run: () => fields.run() },
    { name: 'ended logins', everyMs: HOUR, run: () => purgeSessions(store, now()) },
    { name: 'old audit entries', everyMs: HOUR, run: trimAudit },
    { name: 'retention', everyMs: SECOND, run: () => retention.run() },
  ];
}

function retentionOptions({ config, store, now, clock, log }: TimersOptions): RetentionOptions {
  const { visitsDays, alertsDays, historyDays, timelineDays } = config.retention;
  return {
    ...{ store, now },
    isSteady: () => clock.isSteady(),
    keepMs: {
      // A stay may go on as long as its tag counts as present.
      visits: Math.max(visitsDays * DAY, config.presence.windowSeconds * SECOND),
      alerts: alertsDays * DAY,
      history: historyDays * DAY,
      timelines: timelineDays * DAY,
    },
    onRound: (removed) => {
      if (Object.values(removed).some((count) => count > 0))
        log.info(removed, 'what was kept long enough is removed');
    },
  };
}

/** A stream was let in once, at its start; a key revoked or a session ended since then ends it. */
function closeRevoked({ bus, store, now }: TimersOptions): void {
  for (const id of bus.callers()) if (!isCallerLive(store, id, now())) bus.closeFor(id);
}

/** On a full disk the journal simply waits; ingest says why nothing is acknowledged. */
async function checkpoint({ disk, pipeline }: TimersOptions): Promise<void> {
  if (disk.blocked === null && pipeline.ingest.stalled === null) await pipeline.ledger.checkpoint();
}
