import { Pace } from '../lib/pace.ts';
import { apiKeyOf } from './api-keys.ts';
import type { AuditActor } from './audit.ts';
import type { AuditRecord } from './records.ts';
import type { Store } from './store.ts';
import { type Key, tables } from './tables.ts';

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
/** Entries removed in one write. */
const SLICE = 100;
/** Characters of changes in one page: a single entry may hold some millions. */
const PAGE_MAX_LENGTH = 4_000_000;
const NO_DIGITS = 12;

interface Found extends AuditPosition {
  readonly record: AuditRecord;
}

/** A page in the making. */
interface Draft {
  readonly entries: AuditLogEntry[];
  /** The last entry looked at; where to begin while there is none. */
  last: AuditPosition | undefined;
  looked: number;
  /** Characters of changes. */
  length: number;
}

/**
 * A page of an organisation's audit log. It ends early, even without an entry, when as many entries were looked through
 * as one call may, or when it holds very long ones. Works in slices and leaves the event loop free.
 */
export async function readAudit(store: Store, orgId: string, query: AuditQuery): Promise<AuditPage> {
  const draft: Draft = { entries: [], last: query.before, looked: 0, length: 0 };
  const pace = new Pace();
  for (;;) {
    const end = readOn(store, orgId, { query, draft, pace });
    const { entries, last = null } = draft;
    if (end !== 'due') return { entries, next: end === 'full' ? last : null };
    await pace.pause();
  }
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

interface Slice {
  readonly query: AuditQuery;
  readonly draft: Draft;
  readonly pace: Pace;
}

/**
 * Reads on until the page is full, the log ends or others are due: entry by entry, since a few long ones take as long as
 * many short ones. The iterator is closed on the way out: it must not stay open while others run.
 */
function readOn(store: Store, orgId: string, { query, draft, pace }: Slice): 'full' | 'ended' | 'due' {
  const range = { start: startOf(orgId, draft.last), end: [orgId], reverse: true };
  for (const { key, value: record } of store.range(tables.audit, range)) {
    if (isFull(draft, query)) return 'full';
    const found: Found = { at: key[1], no: Number(key[2]), record };
    draft.last = { at: found.at, no: found.no };
    draft.looked++;
    if (matches(record, query.resource)) {
      draft.entries.push(shown(store, orgId, found));
      draft.length += lengthOf(record);
    }
    if (pace.due) return 'due';
  }
  return 'ended';
}

/** The first key there can be after a position. */
function startOf(orgId: string, position: AuditPosition | undefined): Key {
  if (!position) return [orgId, Number.MAX_VALUE];
  return [orgId, position.at, String(position.no - 1).padStart(NO_DIGITS, '0')];
}

function isFull(
  { entries, looked, length }: Draft,
  { limit, lookThrough = LOOK_THROUGH }: AuditQuery,
): boolean {
  return entries.length >= limit || looked >= lookThrough || length > PAGE_MAX_LENGTH;
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
