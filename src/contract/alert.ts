import { z } from 'zod';
import { alertStates, alertTargets } from '../domain/alert.ts';
import { limits } from '../domain/limits.ts';
import { formatInstant } from '../lib/instant.ts';
import { pageQuery } from './paging.ts';
import { timestamp, uuid } from './scalars.ts';

/** An alert. Times that have not come yet are absent. */
export const alertSchema = z
  .object({
    id: uuid,
    ruleKind: z
      .enum(['reader_offline', 'asset_missing'])
      .meta({ description: '`reader_offline` is also used for a reader running hot' }),
    severity: z.enum(['critical', 'warning']),
    state: z.enum(alertStates),
    subjectType: z.enum(['reader', 'asset']),
    subjectId: uuid.meta({ description: 'Id from /readers or /assets' }),
    message: z.string().meta({ description: 'What is wrong, since when, why, and what to do' }),
    openedAt: timestamp,
    ackedAt: timestamp.optional(),
    resolvedAt: timestamp.optional(),
  })
  .meta({ id: 'Alert', description: 'A problem that asks for attention; one open alert at most for each' });
export type Alert = z.infer<typeof alertSchema>;

/** An alert as it is kept; times are epoch ms, null = not yet. */
export interface KeptAlert extends Omit<Alert, 'openedAt' | 'ackedAt' | 'resolvedAt'> {
  readonly openedAt: number;
  readonly ackedAt: number | null;
  readonly resolvedAt: number | null;
}

/** An alert as REST and webhooks show it. */
export function alertAnswer(alert: KeptAlert): Alert {
  const { id, ruleKind, severity, state, subjectType, subjectId, message, openedAt } = alert;
  const { ackedAt, resolvedAt } = alert;
  return {
    ...{ id, ruleKind, severity, state, subjectType, subjectId, message },
    openedAt: formatInstant(openedAt),
    ...(ackedAt !== null && { ackedAt: formatInstant(ackedAt) }),
    ...(resolvedAt !== null && { resolvedAt: formatInstant(resolvedAt) }),
  };
}

/** The query of GET /alerts. */
export const alertQuerySchema = z.object({
  state: z
    .enum(alertStates)
    .optional()
    .meta({ description: 'Only alerts that stand there; all when left out' }),
  ...pageQuery(limits.alertsPerAnswer),
});

/** The body of PATCH /alerts/{id}. */
export const alertChangeSchema = z.object({ state: z.enum(alertTargets) }).meta({ id: 'AlertChange' });

export const alertExample: Alert = {
  id: '019caef3-1d54-7000-8001-1c2d3e4f5a6b',
  ruleKind: 'reader_offline',
  severity: 'critical',
  state: 'acked',
  subjectType: 'reader',
  subjectId: '5f0c7f0e-3f57-4a77-9f0b-1c2d3e4f5a6b',
  message:
    'Reader "Dock door 1" (370-21-09-0042) is offline: its connection to the service is closed. Last heard of at 2026-03-02T09:15:37.412Z. Check its power, its network and the broker address it was given.',
  openedAt: '2026-03-02T09:16:38.020Z',
  ackedAt: '2026-03-02T09:20:11.300Z',
};
