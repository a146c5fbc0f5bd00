import { type AlertTarget, nextAlertState } from '../domain/alert.ts';
import { alertId } from './alert-id.ts';
import type { AlertRecord } from './records.ts';
import type { Tx } from './store.ts';
import { tables } from './tables.ts';

/** A problem that asks for somebody's attention. */
export interface Problem
  extends Pick<AlertRecord, 'ruleKind' | 'severity' | 'subjectType' | 'subjectId' | 'problem' | 'message'> {
  readonly orgId: string;
}

/**
 * Raises an alert; null when the problem has one already, open or acknowledged, and also when a person resolved it while
 * the problem goes on: at most one for each problem, until `resolveProblem` says that it has ended. `now` is epoch ms.
 */
export function raiseAlert(
  tx: Tx,
  { orgId, ...problem }: Problem,
  { now, newId }: { readonly now: number; readonly newId: () => string },
): AlertRecord | null {
  if (tx.get(tables.alertByProblem, [orgId, problem.problem]) !== undefined) return null;
  const no = tx.next('lastAlertNo');
  const id = alertId({ openedAt: now, no }, newId());
  const alert: AlertRecord = {
    ...problem,
    ...{ id, no, state: 'open', openedAt: now, ackedAt: null, resolvedAt: null },
  };
  tx.put(tables.alerts, [orgId, id], alert);
  tx.put(tables.alertByProblem, [orgId, problem.problem], id);
  return alert;
}

/** The problem has ended: its alert is resolved, and it may be raised again. Null when no alert changed by that. */
export function resolveProblem(
  tx: Tx,
  { orgId, problem, now }: { readonly orgId: string; readonly problem: string; readonly now: number },
): AlertRecord | null {
  const alert = endProblem(tx, orgId, problem);
  if (!alert || alert.state === 'resolved') return null;
  const resolved: AlertRecord = { ...alert, state: 'resolved', resolvedAt: now };
  tx.put(tables.alerts, [orgId, alert.id], resolved);
  return resolved;
}

/** The subject of a problem is gone, and with it its alert, if that is open or acknowledged; a resolved one is history. */
export function dropProblem(tx: Tx, orgId: string, problem: string): void {
  const alert = endProblem(tx, orgId, problem);
  if (alert && alert.state !== 'resolved') tx.remove(tables.alerts, [orgId, alert.id]);
}

/** What a person asks of an alert. `now` is epoch ms. */
export interface AlertRequest {
  readonly orgId: string;
  readonly id: string;
  readonly target: AlertTarget;
  readonly now: number;
}

/**
 * Moves an alert as a person asks; `after` is `before` when it stands there already, null when it can't go there. Answers
 * null for an unknown alert. The problem keeps its entry: resolved by hand while it goes on, it isn't raised again.
 */
export function moveAlert(
  tx: Tx,
  { orgId, id, target, now }: AlertRequest,
): { readonly before: AlertRecord; readonly after: AlertRecord | null } | null {
  const before = tx.get(tables.alerts, [orgId, id]);
  if (!before) return null;
  const state = nextAlertState(before.state, target);
  if (state === null) return { before, after: null };
  if (state === before.state) return { before, after: before };
  const time = state === 'acked' ? { ackedAt: now } : { resolvedAt: now };
  const after: AlertRecord = { ...before, state, ...time };
  tx.put(tables.alerts, [orgId, id], after);
  return { before, after };
}

function endProblem(tx: Tx, orgId: string, problem: string): AlertRecord | undefined {
  const id = tx.get(tables.alertByProblem, [orgId, problem]);
  if (id === undefined) return undefined;
  tx.remove(tables.alertByProblem, [orgId, problem]);
  return tx.get(tables.alerts, [orgId, id]);
}
