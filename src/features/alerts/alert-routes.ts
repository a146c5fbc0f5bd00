import { z } from 'zod';
import {
  alertAnswer,
  alertChangeSchema,
  alertExample,
  alertQuerySchema,
  alertSchema,
} from '../../contract/alert.ts';
import { linkHeader, nextLink } from '../../contract/paging.ts';
import { limits } from '../../domain/limits.ts';
import { refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Caller, type Route, route } from '../../http/route.ts';
import { listAlerts } from '../../store/alert-list.ts';
import { moveAlert } from '../../store/alerts.ts';
import { auditedWrite } from '../../store/audit.ts';
import type { Store } from '../../store/store.ts';

export interface AlertRoutesOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
}

const tag = 'Alerts';

/** GET /alerts, PATCH /alerts/{id}. */
export function alertRoutes(options: AlertRoutesOptions): readonly Route[] {
  return [listRoute(options), changeRoute(options)];
}

function listRoute({ store }: AlertRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/alerts',
    operationId: 'listAlerts',
    summary: 'Alerts, newest first',
    description: `Up to ${limits.alertsPerAnswer}. Alerts are not on the event stream: ask about once a minute.`,
    tag,
    access: 'caller',
    query: alertQuerySchema,
    responses: {
      200: {
        description: 'Alerts',
        schema: z.array(alertSchema),
        headers: linkHeader,
        example: [alertExample],
      },
    },
    handle: async ({ caller: { orgId }, query, raw }) => {
      const { state, cursor, limit = limits.alertsPerAnswer } = query;
      const olderThan = cursor && { openedAt: cursor.key, no: cursor.no };
      const found = await listAlerts(store, { orgId, state, olderThan, limit: limit + 1 });
      const positions = found.map(({ openedAt, no }) => ({ key: openedAt, no }));
      return {
        status: 200,
        body: found.slice(0, limit).map(alertAnswer),
        headers: nextLink(raw.req.url ?? '', positions, limit),
      };
    },
  });
}

function changeRoute(options: AlertRoutesOptions): Route {
  return route({
    method: 'PATCH',
    path: '/alerts/{id}',
    operationId: 'changeAlert',
    summary: 'Acknowledge or resolve an alert',
    description: [
      'An open alert can be acknowledged or resolved, an acknowledged one resolved; the state it has already changes nothing.',
      'An alert resolved while its problem goes on is not raised again before the problem has ended and come back.',
    ].join(' '),
    tag,
    access: 'caller',
    params: z.object({ id: uuidParam('alert') }),
    body: alertChangeSchema,
    bodyExample: { state: 'acked' },
    responses: { 204: { description: 'The alert stands there' } },
    refusals: ['alert-state'],
    handle: async ({ caller, params: { id }, body: { state: target } }) => {
      await change(options, caller, { id, target });
      return { status: 204 };
    },
  });
}

interface AlertMove {
  readonly id: string;
  readonly target: z.output<typeof alertChangeSchema>['state'];
}

/** Moves an alert of the caller's organisation to a state. Throws `not-found`, `alert-state`. */
async function change(
  { store, now }: AlertRoutesOptions,
  caller: Caller,
  { id, target }: AlertMove,
): Promise<void> {
  const at = now();
  await auditedWrite(store, { author: caller, now: at }, (tx, note) => {
    const moved = moveAlert(tx, { orgId: caller.orgId, id, target, now: at });
    if (!moved) throw refuse('not-found', 'There is no alert with this id.');
    const { before, after } = moved;
    if (!after) throw refuse('alert-state', `A ${before.state} alert cannot become ${target}.`);
    if (after === before) return;
    note({
      action: 'update',
      resource: `alerts/${id}`,
      before: alertAnswer(before),
      after: alertAnswer(after),
    });
  });
}
