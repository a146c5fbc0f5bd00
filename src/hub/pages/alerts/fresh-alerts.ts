import type { Alert } from '../../../contract/alert.ts';

/** Alerts that were not there before. Nothing is new at the first look (`known` null). Keeps the order. */
export function freshAlerts(known: ReadonlySet<string> | null, alerts: readonly Alert[]): readonly Alert[] {
  return known === null ? [] : alerts.filter(({ id }) => !known.has(id));
}

/** The chosen alerts that are (still) in the list, in its order. */
export function stillChosen(chosen: ReadonlySet<string>, alerts: readonly Alert[]): readonly Alert[] {
  return alerts.filter(({ id }) => chosen.has(id));
}

/** The same set with `id` in it or not. */
export function withChoice(chosen: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(chosen);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}
