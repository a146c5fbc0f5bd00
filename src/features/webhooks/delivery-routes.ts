import { z } from 'zod';
import {
  attemptSchema,
  deadLetterExample,
  deadLetterSchema,
  deliveryExample,
  deliverySchema,
} from '../../contract/webhook.ts';
import { limits } from '../../domain/limits.ts';
import { Refused, refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import { WorkQueue } from '../../lib/work-queue.ts';
import { auditedWrite } from '../../store/audit.ts';
import { deadLetters, lastAttempts, revive } from '../../store/webhooks.ts';
import type { WebhookRoutesOptions } from './route-options.ts';
import { attemptView, deadLetterView, deliveryView, knownWebhook } from './webhook-view.ts';

const tag = 'Webhooks';
const params = z.object({ id: uuidParam('webhook') });

/** What became of messages, and what can be done about it. */
export function deliveryRoutes(options: WebhookRoutesOptions): readonly Route[] {
  return [testRoute(options), listRoute(options), deadRoute(options), retryRoute(options)];
}

function testRoute({ store, deliverer, now }: WebhookRoutesOptions): Route {
  const full = () =>
    new Refused({ kind: 'too-many-requests', detail: 'Too many tests at once.', retryAfterSeconds: 10 });
  const line = new WorkQueue({ atOnce: 4, waiting: 0, full });
  return route({
    method: 'POST',
    path: '/webhooks/{id}/test',
    operationId: 'testWebhook',
    summary: 'Send a test message now',
    description:
      'A message of type `webhook_test`, or an e-mail, sent once, also while it is off. What the receiver makes of it is answered.',
    tag,
    access: 'admin',
    params,
    responses: {
      200: {
        description: 'What came of it',
        schema: attemptSchema,
        example: { delivered: true, statusCode: 204, durationMs: 18 },
      },
    },
    refusals: ['too-many-requests'],
    handle: async ({ caller, params: { id } }) => {
      const webhook = knownWebhook(store, caller.orgId, id);
      const outcome = await line.run(async () => {
        await auditedWrite(store, { author: caller, now: now() }, (_, note) =>
          note({ action: 'test', resource: `webhooks/${id}` }),
        );
        return deliverer.test(webhook);
      });
      return { status: 200, body: attemptView(outcome) };
    },
  });
}

function listRoute({ store }: WebhookRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'The last attempts to deliver, newest first',
    description: `Up to ${limits.webhookAttemptsKept}; older ones are not kept.`,
    tag,
    access: 'admin',
    params,
    responses: {
      200: { description: 'Attempts', schema: z.array(deliverySchema), example: [deliveryExample] },
    },
    handle: ({ caller, params: { id } }) => {
      knownWebhook(store, caller.orgId, id);
      return { status: 200, body: lastAttempts(store, id).map(({ value }) => deliveryView(value)) };
    },
  });
}

function deadRoute({ store }: WebhookRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/webhooks/{id}/dead-letters',
    operationId: 'listWebhookDeadLetters',
    summary: 'Events that were given up, newest first',
    description: [
      `After three days, as the oldest of more than ${limits.webhookWaiting} that waited, or because a mail server`,
      'refused them for good.',
      `The last ${limits.webhookDeadLetters} are kept.`,
    ].join(' '),
    tag,
    access: 'admin',
    params,
    responses: {
      200: { description: 'Dead letters', schema: z.array(deadLetterSchema), example: [deadLetterExample] },
    },
    handle: ({ caller, params: { id } }) => {
      knownWebhook(store, caller.orgId, id);
      return { status: 200, body: deadLetters(store, id).map(({ value }) => deadLetterView(value)) };
    },
  });
}

function retryRoute({ store, now }: WebhookRoutesOptions): Route {
  return route({
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{deliveryId}/retry',
    operationId: 'retryWebhookDelivery',
    summary: 'Try to deliver a dead letter again',
    description: 'It goes out after what waits about the same subject, and is tried as long as a new one.',
    tag,
    access: 'admin',
    params: params.extend({ deliveryId: uuidParam('dead letter') }),
    responses: { 204: { description: 'It waits for its delivery again' } },
    handle: async ({ caller, params: { id, deliveryId } }) => {
      const at = now();
      await auditedWrite(store, { author: caller, now: at }, (tx, note) => {
        knownWebhook(tx, caller.orgId, id);
        if (!revive(tx, [id, deliveryId], at))
          throw refuse('not-found', 'There is no dead letter with this id.');
        note({ action: 'retry', resource: `webhooks/${id}`, after: { delivery: deliveryId } });
      });
      return { status: 204 };
    },
  });
}
