import { isDeepStrictEqual } from 'node:util';
import { refuse } from '../domain/refusal.ts';
import type { AuditRecord } from './records.ts';
import { type Store, type Tx, WriteFailed } from './store.ts';
import { tables } from './tables.ts';

/** What was done to which record. `before` and `after` never hold secrets. */
export interface AuditNote {
  /** A verb: `create`, `update`, `delete`, `claim` … */
  readonly action: string;
  /** The record as the interface addresses it: `zones/<id>`. */
  readonly resource: string;
  readonly before?: object;
  readonly after?: object;
}

/** A note with where it belongs. Without an actor it was the command line, on the appliance itself. */
export interface AuditEntry extends AuditNote {
  readonly orgId: string;
  /** Epoch ms. */
  readonly at: number;
  readonly actor?: AuditActor;
  readonly address?: string;
}

/** Who did it. A user's e-mail address is kept with it, so that it is known when the user is gone. */
export type AuditActor = AuditRecord['actor'] & { readonly name?: string };

/** Who writes: a caller of the REST interface has all of these. */
export interface Author {
  readonly orgId: string;
  /** The id of the API key or user. */
  readonly id: string;
  readonly viaKey: boolean;
  readonly address: string;
  /** A user's. */
  readonly email?: string;
}

const DIGITS = 12;

/**
 * Appends to the organisation's audit log, in the transaction of the change itself. With both `before` and `after` only
 * the members that differ are kept.
 */
export function appendAudit(tx: Tx, entry: AuditEntry): void {
  const { orgId, at, actor = { kind: 'cli', id: '' }, address = null, action, resource } = entry;
  // Numbered, so that what happened in the same millisecond stays in order.
  const id = String(tx.next('lastAuditNo')).padStart(DIGITS, '0');
  tx.put(tables.audit, [orgId, at, id], { at, actor, address, action, resource, ...changeOf(entry) });
}

/**
 * One change made by a caller: `action` runs in one transaction and notes what it did there. Resolves once everything is
 * on disk. `store` may be the tag ledger, for a write that makes or removes tags. What `action` throws comes out as it is; a disk that refuses comes out as the refusal `disk-full`.
 */
export async function auditedWrite<T>(
  store: Pick<Store, 'write'>,
  { author, now }: { readonly author: Author; readonly now: number },
  action: (tx: Tx, note: (entry: AuditNote) => void) => T,
): Promise<T> {
  const { orgId, address } = author;
  const actor = actorOf(author);
  try {
    return await store.write((tx) =>
      action(tx, (note) => appendAudit(tx, { ...note, orgId, at: now, actor, address })),
    );
  } catch (error) {
    if (!(error instanceof WriteFailed)) throw error;
    throw refuse('disk-full', 'The data disk is full or failing; nothing was changed.');
  }
}

function actorOf({ id, viaKey, email }: Author): AuditActor {
  if (viaKey) return { kind: 'key', id };
  return { kind: 'user', id, ...(email && { name: email }) };
}

function changeOf({ before, after }: AuditNote): { before?: object; after?: object } {
  if (!before || !after) return { ...(before && { before }), ...(after && { after }) };
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const was = new Map(Object.entries(before));
  const is = new Map(Object.entries(after));
  const changed = [...names].filter((name) => !isDeepStrictEqual(was.get(name), is.get(name)));
  const pick = (members: ReadonlyMap<string, unknown>) =>
    Object.fromEntries(changed.filter((name) => members.has(name)).map((name) => [name, members.get(name)]));
  return { before: pick(was), after: pick(is) };
}
