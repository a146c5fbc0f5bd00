import { Pace } from '../lib/pace.ts';
import { apiKeyOf } from './api-keys.ts';
import type { AuditActor } from './audit.ts';
import type { AuditRecord } from './records.ts';
import type { Store } from './store.ts';
import { tables } from './tables.ts';

/** An entry of the audit log as it is shown. */
export interface AuditLogEntry extends Omit<AuditRecord, 'actor'> {
  /** Numbers all entries of the appliance. */
  readonly no: number;
  readonly actor: AuditActor;
}

/** Where reading ended. */
export interface AuditPosition {
  /** Epoch ms. */
  readonly at: number;
  readonly no: number;
}

export interface AuditQuery {
  /** `zones`: everything of zones; `zones/<id>`: one of them. */
  readonly resource?: string | undefined;
  /** Only what is older. */
  readonly before?: AuditPosition | undefined;
  readonly limit: number;
  /** Entries looked through for one page. */
  readonly lookThrough?: number;
}

/** Entries, newest first; `next` is where to go on when there may be more. */
export interface AuditPage {
  readonly entries: readonly AuditLogEntry[];
  readonly next: AuditPosition | null;
}

const LOOK_THROUGH = 100_000;
/** Entries read at a time. */
const SLICE = 100;
/** Characters of changes in one page: a single entry may hold some millions. */
const PAGE_MAX_LENGTH = 4_000_000;
const NO_DIGITS = 12;

interface Found extends AuditPosition {
  readonly record: AuditRecord;
}

/**
 * A page of an organisation's audit log. It ends early, even without an entry, when as many entries were looked through
 * as one call may, or when it holds very long ones. Works in slices and leaves the event loop free.
 */
export async function readAudit(store: Store, orgId: string, query: AuditQuery): Promise<AuditPage> {
  const { resource, before, limit, lookThrough = LOOK_THROUGH } = query;
  const entries: AuditLogEntry[] = [];
  let last: AuditPosition | null = null;
  let looked = 0;
  let length = 0;
  for await (const { at, no, record } of newestFirst(store, orgId, before)) {
    if (entries.length >= limit || looked >= lookThrough || length > PAGE_MAX_LENGTH)
      return { entries, next: last };
    looked++;
    last = { at, no };
    if (!matches(record, resource)) continue;
    entries.push(shown(store, orgId, { at, no, record }));
    length += lengthOf(record);
  }
  return { entries, next: null };
}

/**
 * Removes entries older than `before` (epoch ms) of every organisation; answers how many. For a timer: works in slices of
 * a write each, and one that fails leaves the rest for the next time.
 */
export async function purgeAudit(store: Store, before: number): Promise<number> {
  let removed = 0;
  for (const orgId of Array.from(store.range(tables.orgs), ({ key }) => key))
    for (;;) {
      const range = { start: [orgId], end: [orgId, before], limit: SLICE };
      const keys = Array.from(store.range(tables.audit, range), ({ key }) => key);
      if (keys.length === 0) break;
      await store.write((tx) => {
        for (const key of keys) tx.remove(tables.audit, key);
      });
      removed += keys.length;
    }
  return removed;
}

async function* newestFirst(store: Store, orgId: string, before?: AuditPosition): AsyncGenerator<Found> {
  const pace = new Pace();
  for (let position = before; ; ) {
    const start = position
      ? ([orgId, position.at, String(position.no).padStart(NO_DIGITS, '0')] as const)
      : [orgId, Number.MAX_VALUE];
    const slice = Array.from(
      store.range(tables.audit, { start, end: [orgId], reverse: true, limit: SLICE }),
      ({ key, value }) => ({ at: key[1], no: Number(key[2]), record: value }),
    );
    // The range begins with the entry at the position, if there still is one.
    for (const found of slice) if (!position || isBefore(found, position)) yield found;
    if (slice.length < SLICE) return;
    position = slice.at(-1);
    if (pace.due) await pace.pause();
  }
}

function isBefore({ at, no }: AuditPosition, position: AuditPosition): boolean {
  return at < position.at || (at === position.at && no < position.no);
}

function matches({ resource }: AuditRecord, wanted: string | undefined): boolean {
  return wanted === undefined || resource === wanted || resource.startsWith(`${wanted}/`);
}

function lengthOf({ before, after }: AuditRecord): number {
  return (JSON.stringify(before)?.length ?? 0) + (JSON.stringify(after)?.length ?? 0);
}

function shown(store: Store, orgId: string, { at, no, record }: Found): AuditLogEntry {
  const actor: AuditActor = record.actor;
  const name = actor.kind === 'key' ? apiKeyOf(store, orgId, actor.id)?.name : actor.name;
  const { kind, id } = actor;
  return { ...record, at, no, actor: { kind, id, ...(name !== undefined && { name }) } };
}
