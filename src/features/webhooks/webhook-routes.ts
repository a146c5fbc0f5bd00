import { z } from 'zod';
import {
  type MadeWebhook,
  madeWebhookSchema,
  newWebhookSchema,
  webhookChangeSchema,
  webhookExample,
  webhookSchema,
} from '../../contract/webhook.ts';
import { limits } from '../../domain/limits.ts';
import { invalid } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import { auditedWrite } from '../../store/audit.ts';
import { tables } from '../../store/tables.ts';
import type { WebhookRecord } from '../../store/webhook-records.ts';
import { addWebhook, makeWebhookSecret, webhooksOf } from '../../store/webhooks.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import type { WebhookRoutesOptions } from './route-options.ts';
import { checkWay, checkWebhook } from './webhook-input.ts';
import { auditView, knownWebhook, webhookView } from './webhook-view.ts';

const tag = 'Webhooks';
const params = z.object({ id: uuidParam('webhook') });
const PREVIOUS_SECRET_MS = 24 * 3_600_000;
const secretExample = `whsec_${'A'.repeat(43)}=`;
const signing = [
  'Messages are signed as Standard Webhooks has it: `webhook-signature` is `v1,` and the base64 of an HMAC-SHA256 over',
  '`<webhook-id>.<webhook-timestamp>.<body>`. The body is `{type, timestamp, data}`. Whatever is not answered with 2xx within',
  '10 s is sent again, for three days: a message may come twice, and then has the same `webhook-id`.',
].join(' ');
const byMail = [
  'With `emailTo` instead of `url` it goes out by e-mail, through the mail server of the configuration (`mail.host`): what is due',
  `goes together, up to ${limits.mailEvents} events in a message, a message a minute, an alert at once. E-mail has no secret.`,
].join(' ');

/** Everything under /webhooks, for administrators. */
export function webhookRoutes(options: WebhookRoutesOptions): readonly Route[] {
  return [
    ...[listRoute(options), createRoute(options), changeRoute(options), removeRoute(options)],
    ...[rotateRoute(options), ...deliveryRoutes(options)],
  ];
}

function listRoute({ store, deliverer }: WebhookRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/webhooks',
    operationId: 'listWebhooks',
    summary: 'All webhooks, the oldest first',
    description: signing,
    tag,
    access: 'admin',
    responses: {
      200: { description: 'Webhooks', schema: z.array(webhookSchema), example: [webhookExample] },
    },
    handle: ({ caller }) => ({
      status: 200,
      body: webhooksOf(store, caller.orgId).map((one) => webhookView(one, deliverer.waiting(one.id))),
    }),
  });
}

function createRoute({ store, deliverer, now, newId }: WebhookRoutesOptions): Route {
  return route({
    method: 'POST',
    path: '/webhooks',
    operationId: 'createWebhook',
    summary: 'Make a webhook',
    description: `The secret is answered this once. Up to ${limits.webhooksPerOrganisation}. ${signing} ${byMail}`,
    tag,
    access: 'admin',
    body: newWebhookSchema,
    bodyExample: { url: webhookExample.url, types: webhookExample.types, severities: ['critical'] },
    responses: {
      201: {
        description: 'The webhook',
        schema: madeWebhookSchema,
        example: { ...webhookExample, secret: secretExample },
      },
    },
    refusals: ['webhook-limit'],
    handle: async ({ caller, body }) => {
      const { url = null, emailTo = null, ...wanted } = body;
      checkWay(url === null ? 'emailTo' : 'url', body, deliverer.hasMailServer);
      const secret = url === null ? null : makeWebhookSecret();
      const createdAt = now();
      const made = { id: newId(), secret, previous: null, createdAt };
      const webhook: WebhookRecord = { ...wanted, url, emailTo, paused: null, ...made };
      await auditedWrite(store, { author: caller, now: createdAt }, (tx, note) => {
        checkWebhook(tx, caller.orgId, body);
        addWebhook(tx, caller.orgId, webhook);
        note({ action: 'create', resource: `webhooks/${webhook.id}`, after: auditView(webhook) });
      });
      return { status: 201, body: { ...webhookView(webhook, 0), secret } satisfies MadeWebhook };
    },
  });
}

function changeRoute({ store, deliverer, now }: WebhookRoutesOptions): Route {
  return route({
    method: 'PATCH',
    path: '/webhooks/{id}',
    operationId: 'changeWebhook',
    summary: 'Change a webhook, or switch it off and on',
    description:
      'What waits goes to the new address or addresses. While it is off nothing is added, and what waits is kept until it is on again.',
    tag,
    access: 'admin',
    params,
    body: webhookChangeSchema,
    bodyExample: { enabled: false },
    responses: { 200: { description: 'The webhook', schema: webhookSchema, example: webhookExample } },
    handle: async ({ caller, params: { id }, body }) => {
      const webhook = await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        const before = knownWebhook(tx, caller.orgId, id);
        checkWay(before.url === null ? 'emailTo' : 'url', body, deliverer.hasMailServer);
        checkWebhook(tx, caller.orgId, body);
        const paused = body.enabled === undefined ? before.paused : null;
        const after: WebhookRecord = { ...before, ...body, paused: paused ?? null };
        tx.put(tables.webhooks, [caller.orgId, id], after);
        const moved = before.url === after.url ? {} : { urlChanged: true };
        const noted = { before: auditView(before), after: { ...auditView(after), ...moved } };
        note({ action: 'update', resource: `webhooks/${id}`, ...noted });
        return after;
      });
      return { status: 200, body: webhookView(webhook, deliverer.waiting(id)) };
    },
  });
}

function removeRoute({ store, now }: WebhookRoutesOptions): Route {
  return route({
    method: 'DELETE',
    path: '/webhooks/{id}',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'With all that waits for it and all that is known of its deliveries.',
    tag,
    access: 'admin',
    params,
    responses: { 204: { description: 'Deleted' } },
    handle: async ({ caller, params: { id } }) => {
      await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        const before = knownWebhook(tx, caller.orgId, id);
        tx.remove(tables.webhooks, [caller.orgId, id]);
        note({ action: 'delete', resource: `webhooks/${id}`, before: auditView(before) });
      });
      return { status: 204 };
    },
  });
}

function rotateRoute({ store, deliverer, now }: WebhookRoutesOptions): Route {
  return route({
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Give a webhook a new secret',
    description:
      'The new secret is answered this once. For a day messages carry a signature with the old one too, so that none is refused meanwhile.',
    tag,
    access: 'admin',
    params,
    responses: {
      200: {
        description: 'The webhook',
        schema: madeWebhookSchema,
        example: { ...webhookExample, secret: secretExample },
      },
    },
    handle: async ({ caller, params: { id } }) => {
      const at = now();
      const webhook = await auditedWrite(store, { author: caller, now: at }, (tx, note) => {
        const before = knownWebhook(tx, caller.orgId, id);
        if (before.secret === null) throw invalid('E-mail is not signed: there is no secret.');
        const previous = { secret: before.secret, until: at + PREVIOUS_SECRET_MS };
        const after: WebhookRecord = { ...before, secret: makeWebhookSecret(), previous };
        tx.put(tables.webhooks, [caller.orgId, id], after);
        note({ action: 'rotate-secret', resource: `webhooks/${id}` });
        return after;
      });
      const view = webhookView(webhook, deliverer.waiting(id));
      return { status: 200, body: { ...view, secret: webhook.secret } satisfies MadeWebhook };
    },
  });
}
