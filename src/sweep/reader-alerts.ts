import { heatOf, isOfflineDue, readerProblems } from '../domain/alert.ts';
import { outOfService } from '../domain/device.ts';
import { signsSince } from '../domain/reader-signs.ts';
import {
  type DerivedStatus,
  isRadioWanted,
  type OfflineReason,
  readerStatus,
  type StatusRules,
} from '../domain/reader-status.ts';
import { Pace } from '../lib/pace.ts';
import { type Problem, raiseAlert, resolveProblem } from '../store/alerts.ts';
import { appendAudit } from '../store/audit.ts';
import type { AlertRecord, DeviceActivity, ReaderRecord } from '../store/records.ts';
import { type Reading, type Store, type Tx, WriteFailed } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { hotMessage, offlineMessage } from './reader-messages.ts';

/** Signs of life of a device, as the running service knows them. */
export interface ReaderSigns extends DeviceActivity {
  /** Connections open now. */
  readonly connections: number;
  /** What the radio does, as the reader last said since it connected; null = it did not say. */
  readonly radio: 'running' | 'armed' | 'idle' | null;
}

export interface ReaderAlertsOptions {
  readonly store: Store;
  readonly activity: { of(serial: string): ReaderSigns };
  /** Epoch ms. */
  readonly now: () => number;
  /** A connected reader that is silent this long is offline, ms; 0 = never. */
  readonly noDataMs: number;
  /** A reader offline this long raises an alert, ms. */
  readonly offlineMs: number;
  readonly hotCelsius: number;
  /** A new UUID. */
  readonly newId: () => string;
  /** When this run of the service began, epoch ms. */
  readonly startedAt: number;
}

/** A reader with its organisation. */
interface Owned {
  readonly orgId: string;
  readonly reader: ReaderRecord;
  /** Neither stopped nor with all its ports off, nor out of service. */
  readonly isWanted: boolean;
}

/** What one look at a reader asks to be written. */
type Change =
  | { readonly kind: 'raise'; readonly problem: Problem }
  | { readonly kind: 'end'; readonly problem: Pick<Problem, 'orgId' | 'problem' | 'subjectId'> };

/** Older health figures decide nothing when `noDataMs` sets no limit of its own. */
const FIGURES_MAX_AGE_MS = 300_000;

/** A power cut takes all readers at once; one transaction for all of them would hold the event loop. */
const CHANGES_PER_WRITE = 200;

/** Every change is noted as the service's own. */
const actor = { kind: 'system', id: '' } as const;

/**
 * Raises and resolves the alerts of readers: offline for too long (critical), running hot (warning); the interface allows
 * one open alert for each problem. `run` is for every second and writes only when something changed. A reader that never
 * connected raises nothing, one that is stopped has no problems. Health figures count while they are fresh and their
 * reader is not offline; others neither raise nor resolve.
 */
export function createReaderAlerts(options: ReaderAlertsOptions): { readonly run: () => Promise<void> } {
  const sweep = new ReaderSweep(options);
  return { run: () => sweep.run() };
}

class ReaderSweep {
  readonly #options: ReaderAlertsOptions;
  #version = -1;
  #readers: readonly Owned[] = [];
  /** Problems that were raised and have not ended. Nobody else raises or ends those of readers that exist. */
  #raised = new Set<string>();
  /** By reader: when this run first found it offline. */
  readonly #offlineSince = new Map<string, number>();

  constructor(options: ReaderAlertsOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    this.#load();
    const at = this.#options.now();
    const changes = await this.#look(at);
    for (let i = 0; i < changes.length; i += CHANGES_PER_WRITE) {
      const slice = changes.slice(i, i + CHANGES_PER_WRITE);
      if (!(await this.#write(slice, at))) return;
      for (const { kind, problem } of slice)
        if (kind === 'raise') this.#raised.add(problem.problem);
        else this.#raised.delete(problem.problem);
    }
  }

  /** In slices: there may be thousands of readers. */
  async #look(at: number): Promise<readonly Change[]> {
    const changes: Change[] = [];
    const pace = new Pace();
    for (const owned of this.#readers) {
      changes.push(...this.#changesOf(owned, at));
      if (pace.due) await pace.pause();
    }
    return changes;
  }

  /** The readers change seldom; reading them all every second would be for nothing. */
  #load(): void {
    const { store } = this.#options;
    const version = store.directoryVersion();
    if (version === this.#version) return;
    this.#version = version;
    const entries = store.range(tables.readers);
    this.#readers = Array.from(entries, ({ key, value }) => ({
      orgId: key[0],
      reader: value,
      isWanted: isWanted(store, key[0], value),
    }));
    const orgIds = [...new Set(this.#readers.map(({ orgId }) => orgId))];
    this.#raised = new Set(orgIds.flatMap((orgId) => readerProblemsOf(store, orgId)));
    const known = new Set(this.#readers.map(({ reader }) => reader.id));
    for (const id of this.#offlineSince.keys()) if (!known.has(id)) this.#offlineSince.delete(id);
  }

  #changesOf(owned: Owned, at: number): readonly Change[] {
    const { reader } = owned;
    const signs = signsSince(this.#options.activity.of(reader.serial), reader.createdAt, at);
    const status = statusOf(owned, signs, { noDataMs: this.#options.noDataMs, now: at });
    const look = { owned, signs, at, reason: status.status === 'offline' ? status.offlineReason : null };
    const { offline, hot } = readerProblems(reader.id);
    if (look.reason === null) this.#offlineSince.delete(reader.id);
    if (!owned.isWanted) return [...this.#end(owned, offline), ...this.#end(owned, hot)];
    return [...this.#offlineChange(offline, look), ...this.#hotChange(hot, look)];
  }

  #offlineChange(problem: string, { owned, signs, at, reason }: Look): readonly Change[] {
    if (reason === null) return this.#end(owned, problem);
    const { offlineMs, startedAt } = this.#options;
    const { id } = owned.reader;
    // A clock set back must not make the spell begin in the future.
    const since = Math.min(this.#offlineSince.get(id) ?? at, at);
    this.#offlineSince.set(id, since);
    const isDue = isOfflineDue({ since, lastSeenAt: signs.lastSeenAt, offlineMs, startedAt }, at);
    if (!isDue || this.#raised.has(problem)) return [];
    const message = offlineMessage(owned.reader, { reason, since, lastSeenAt: signs.lastSeenAt });
    return [raise(owned, { problem, message, severity: 'critical' })];
  }

  #hotChange(problem: string, { owned, signs, at, reason }: Look): readonly Change[] {
    const { noDataMs, hotCelsius } = this.#options;
    const { health, healthAt } = signs;
    const temperatureC = health?.temperatureC;
    const isFresh = healthAt !== null && at - healthAt <= (noDataMs || FIGURES_MAX_AGE_MS);
    if (reason !== null || !isFresh || typeof temperatureC !== 'number') return [];
    const heat = heatOf(temperatureC, hotCelsius);
    if (heat === 'cool') return this.#end(owned, problem);
    if (heat === null || this.#raised.has(problem)) return [];
    const message = hotMessage(owned.reader, { temperatureC, healthAt, hotCelsius });
    return [raise(owned, { problem, message, severity: 'warning' })];
  }

  #end({ orgId, reader }: Owned, problem: string): readonly Change[] {
    return this.#raised.has(problem)
      ? [{ kind: 'end', problem: { orgId, problem, subjectId: reader.id } }]
      : [];
  }

  /** False when the disk refuses: the next run tries again. */
  async #write(changes: readonly Change[], at: number): Promise<boolean> {
    const { store, newId } = this.#options;
    try {
      await store.write((tx) => {
        for (const change of changes) apply(tx, change, { now: at, newId });
      });
      return true;
    } catch (error) {
      if (!(error instanceof WriteFailed)) throw error;
      return false;
    }
  }
}

/** A reader at one moment; `reason` is null while it is not offline. */
interface Look {
  readonly owned: Owned;
  readonly signs: ReaderSigns;
  readonly at: number;
  readonly reason: OfflineReason | null;
}

function statusOf({ isWanted }: Owned, signs: ReaderSigns, rules: StatusRules): DerivedStatus {
  const { lastSeenAt, lastEventAt, connections, radio } = signs;
  const shown = { enabled: isWanted, lastSeenAt, lastEventAt, connections, radio };
  // Commands tell online from degraded only, which is one here.
  return readerStatus({ ...shown, commandsSupported: true, lastCommandFailed: false }, rules);
}

/** Whoever took a device out of service knows that it is. */
function isWanted(reading: Reading, orgId: string, { id, serial, enabled }: ReaderRecord): boolean {
  const device = reading.get(tables.devices, serial);
  if (device && outOfService(device) !== null) return false;
  return isRadioWanted(enabled, reading.get(tables.antennas, [orgId, id]));
}

function raise({ orgId, reader }: Owned, problem: Pick<Problem, 'problem' | 'message' | 'severity'>): Change {
  const subject = { subjectType: 'reader', subjectId: reader.id } as const;
  return { kind: 'raise', problem: { orgId, ruleKind: 'reader_offline', ...subject, ...problem } };
}

function apply(
  tx: Tx,
  { kind, problem }: Change,
  { now, newId }: { readonly now: number; readonly newId: () => string },
): void {
  const { orgId, subjectId } = problem;
  if (kind === 'end') {
    const ended = resolveProblem(tx, { orgId, problem: problem.problem, now });
    if (ended) noteChange(tx, { orgId, now, alert: ended });
    return;
  }
  // Removed or stopped since this run looked at it: an alert would outlive it.
  const reader = tx.get(tables.readers, [orgId, subjectId]);
  if (!reader || !isWanted(tx, orgId, reader)) return;
  const raised = raiseAlert(tx, problem, { now, newId });
  if (raised) noteChange(tx, { orgId, now, alert: raised });
}

interface Noted {
  readonly orgId: string;
  readonly now: number;
  readonly alert: AlertRecord;
}

function noteChange(tx: Tx, { orgId, now, alert }: Noted): void {
  const { id, state, ruleKind, severity, subjectType, subjectId, message } = alert;
  const action = state === 'resolved' ? 'resolve' : 'raise';
  const after = state === 'resolved' ? { state } : { ruleKind, severity, subjectType, subjectId, message };
  appendAudit(tx, { orgId, at: now, actor, action, resource: `alerts/${id}`, after });
}

/** The problems of readers in the index, found without reading those of assets. */
function readerProblemsOf(store: Store, orgId: string): readonly string[] {
  return ['hot', 'offline'].flatMap((kind) => {
    // `;` follows `:`.
    const range = { start: [orgId, `${kind}:`], end: [orgId, `${kind};`] };
    return Array.from(store.range(tables.alertByProblem, range), ({ key }) => key[1]);
  });
}
