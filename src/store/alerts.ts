import type { AlertRecord } from './records.ts';
import type { Tx } from './store.ts';
import { tables } from './tables.ts';

/** A problem that asks for somebody's attention. */
export interface Problem
  extends Pick<AlertRecord, 'ruleKind' | 'severity' | 'subjectType' | 'subjectId' | 'problem' | 'message'> {
  readonly orgId: string;
}

/**
 * Raises an alert; null when the problem has one already, open or acknowledged: there is at most one for each problem.
 * `now` is epoch ms.
 */
export function raiseAlert(
  tx: Tx,
  { orgId, ...problem }: Problem,
  { now, newId }: { readonly now: number; readonly newId: () => string },
): AlertRecord | null {
  if (tx.get(tables.alertByProblem, [orgId, problem.problem]) !== undefined) return null;
  const times = { openedAt: now, ackedAt: null, resolvedAt: null };
  const alert: AlertRecord = { ...problem, ...times, id: newId(), no: tx.next('lastAlertNo'), state: 'open' };
  tx.put(tables.alerts, [orgId, alert.id], alert);
  tx.put(tables.alertByProblem, [orgId, problem.problem], alert.id);
  return alert;
}

/** Resolves the alert of a problem that is over; null when it has none. */
export function resolveProblem(
  tx: Tx,
  { orgId, problem, now }: { readonly orgId: string; readonly problem: string; readonly now: number },
): AlertRecord | null {
  const id = tx.get(tables.alertByProblem, [orgId, problem]);
  const alert = id === undefined ? undefined : tx.get(tables.alerts, [orgId, id]);
  if (!alert) return null;
  const resolved: AlertRecord = { ...alert, state: 'resolved', resolvedAt: now };
  tx.put(tables.alerts, [orgId, alert.id], resolved);
  tx.remove(tables.alertByProblem, [orgId, problem]);
  return resolved;
}
