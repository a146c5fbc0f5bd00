import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { raiseAlert, resolveProblem } from '../../src/store/alerts.ts';
import { tables } from '../../src/store/tables.ts';
import type { Person } from '../support/account-house.ts';
import { placed, type Tenant } from '../support/house.ts';
import { until } from '../support/wait.ts';
import { openWebhookHouse, type WebhookHouse } from '../support/webhook-house.ts';
import { isSigned, WebhookReceiver } from '../support/webhook-receiver.ts';

let rig: WebhookHouse;
let tenant: Tenant;
let admin: Person;
let receiver: WebhookReceiver;
let url: string;

beforeEach(async () => {
  rig = await openWebhookHouse();
  tenant = await rig.house.tenant('Ours');
  admin = await rig.house.person(tenant.orgId, { email: 'admin@example.org' });
  receiver = new WebhookReceiver();
  url = await receiver.open();
});
afterEach(async () => {
  await rig.close();
  await receiver.close();
});

async function subscribe(more: object = {}): Promise<{ id: string; secret: string }> {
  const { status, body } = await admin.call('POST', '/webhooks', { url, types: ['alert_opened'], ...more });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

function raise(severity: 'critical' | 'warning' = 'critical', orgId = tenant.orgId) {
  const subjectId = randomUUID();
  const subject = { subjectType: 'reader', subjectId, problem: `offline:${subjectId}` } as const;
  return rig.house.store.write((tx) =>
    raiseAlert(
      tx,
      { orgId, ruleKind: 'reader_offline', severity, ...subject, message: 'It is offline' },
      { now: rig.house.now, newId: randomUUID },
    ),
  );
}

const taken = (count: number) =>
  until(`${count} messages`, async () => {
    await rig.deliverer.run();
    return receiver.taken.length >= count && receiver.taken;
  });
const types = () => receiver.taken.map(({ type }) => type);
const outbox = () => [...rig.house.store.range(tables.webhookOutbox)];

describe('what is told', () => {
  test('an alert opened, acknowledged and resolved, each as REST shows it, in this order', async () => {
    await subscribe({ types: ['alert_opened', 'alert_acked', 'alert_resolved'] });
    const alert = await raise();
    await tenant.call('PATCH', `/alerts/${alert?.id}`, { state: 'acked' });
    await rig.house.store.write((tx) =>
      resolveProblem(tx, { orgId: tenant.orgId, problem: alert?.problem ?? '', now: rig.house.now }),
    );
    const [, , resolved] = await taken(3);
    expect(types()).toEqual(['alert_opened', 'alert_acked', 'alert_resolved']);
    const { body } = await tenant.call('GET', '/alerts');
    expect(resolved?.data).toEqual(body[0]);
    expect(resolved?.timestamp).toBe(body[0].resolvedAt);
  });

  test('the timeline of an asset as REST shows it, an edit as asset_updated', async () => {
    await subscribe({ types: ['asset_created', 'asset_updated', 'asset_check_out'] });
    const { body: asset } = await tenant.call('POST', '/assets', { name: 'Cart', assetTagNumber: 'C-1' });
    await tenant.call('PATCH', `/assets/${asset.id}`, { name: 'Cart 2' });
    await tenant.call('POST', `/assets/${asset.id}/check-out`, { custodian: 'R. Ortiz' });
    await taken(3);
    expect(types()).toEqual(['asset_created', 'asset_updated', 'asset_check_out']);
    const { body } = await tenant.call('GET', `/assets/${asset.id}/events`);
    const told = receiver.taken.map(({ data: { assetId, ...event } }) => {
      expect(assetId).toBe(asset.id);
      return event;
    });
    expect(told.toReversed()).toEqual(body);
  });

  test('a move of a tag as the live stream has it', async () => {
    const [from, to] = [await tenant.zone('Dock'), await tenant.zone('Hall')];
    await subscribe({ types: ['tag_moved'], zoneIds: [from.id] });
    const tag = await tenant.tag('E2801160600002000000AB01', placed(from.no, rig.house.now));
    await rig.house.say(tag.no, { name: 'Pallet 7' });
    const move = { from: from.no, to: to.no, at: rig.house.now };
    const elsewhere = { from: to.no, to: to.no, at: rig.house.now };
    await rig.house.store.write((tx) =>
      rig.onMoves(tx, [
        { orgId: tenant.orgId, tagNo: tag.no, move: elsewhere },
        { orgId: tenant.orgId, tagNo: tag.no, move },
      ]),
    );
    const [message] = await taken(1);
    expect(message?.data).toEqual({
      ...{ tagId: tag.id, epc: 'E2801160600002000000AB01', label: 'Pallet 7' },
      ...{ fromZoneId: from.id, toZoneId: to.id, zoneName: 'Hall', at: '2026-03-02T09:15:37.412Z' },
    });
    await until('it to be settled', () => outbox().length === 0);
  });

  test('only what a subscription asked for: types, severities, assets', async () => {
    const { body: cart } = await tenant.call('POST', '/assets', { name: 'Cart', assetTagNumber: 'C-1' });
    const { body: lift } = await tenant.call('POST', '/assets', { name: 'Lift', assetTagNumber: 'L-1' });
    const chosen = { types: ['alert_opened', 'asset_check_out'], severities: ['critical'] };
    await subscribe({ ...chosen, assetIds: [cart.id] });
    await raise('warning');
    await tenant.call('POST', `/assets/${lift.id}/check-out`);
    await tenant.call('POST', `/assets/${cart.id}/check-out`);
    await raise('critical');
    await taken(2);
    expect(types().toSorted()).toEqual(['alert_opened', 'asset_check_out']);
    expect(receiver.taken.find(({ type }) => type === 'asset_check_out')?.data.assetId).toBe(cart.id);
  });

  test('by default nothing: without a webhook no event is kept and none is sent', async () => {
    await raise();
    const { body } = await tenant.call('POST', '/assets', { name: 'Cart', assetTagNumber: 'C-1' });
    await tenant.call('POST', `/assets/${body.id}/check-out`);
    expect(outbox()).toEqual([]);
    expect(rig.subscriptions.none).toBe(true);
    expect(receiver.received).toEqual([]);
  });

  test('nothing of another organisation, and nothing of a write that was rolled back', async () => {
    await subscribe({ types: ['alert_opened', 'asset_created'] });
    const theirs = await rig.house.tenant('Theirs');
    await raise('critical', theirs.orgId);
    await theirs.call('POST', '/assets', { name: 'Cart', assetTagNumber: 'C-1' });
    const failing = rig.house.store.write((tx) => {
      const subject = { subjectType: 'reader', subjectId: randomUUID(), problem: 'offline:x' } as const;
      const problem = { orgId: tenant.orgId, ruleKind: 'reader_offline', severity: 'critical' } as const;
      raiseAlert(tx, { ...problem, ...subject, message: '' }, { now: rig.house.now, newId: randomUUID });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(outbox()).toEqual([]);
  });

  test('while a webhook is off nothing is added; what waits goes out when it is on again', async () => {
    receiver.react = () => 500;
    const { id } = await subscribe();
    await raise();
    await until('an attempt', () => receiver.received.length === 1);
    await admin.call('PATCH', `/webhooks/${id}`, { enabled: false });
    await raise();
    rig.house.now += 10_000;
    await rig.deliverer.run();
    expect(outbox()).toHaveLength(1);
    receiver.react = () => 204;
    await admin.call('PATCH', `/webhooks/${id}`, { enabled: true });
    await taken(1);
    expect(receiver.received).toHaveLength(2);
  });
});

describe('signatures', () => {
  test('are those of Standard Webhooks; after a rotation the old secret signs for a day too', async () => {
    const { id, secret } = await subscribe();
    await raise();
    const [first] = await taken(1);
    expect(first && isSigned(first, secret)).toBe(true);
    expect(first && isSigned({ ...first, body: `${first.body} ` }, secret)).toBe(false);
    expect(first?.headers['webhook-timestamp']).toBe(String(Math.floor(rig.house.now / 1000)));
    const { body } = await admin.call('POST', `/webhooks/${id}/rotate-secret`);
    expect(body.secret).not.toBe(secret);
    await raise();
    const [, second] = await taken(2);
    expect(second && isSigned(second, secret) && isSigned(second, body.secret)).toBe(true);
    rig.house.now += 24 * 3_600_000;
    await raise();
    const [, , third] = await taken(3);
    expect(third && [isSigned(third, secret), isSigned(third, body.secret)]).toEqual([false, true]);
  });

  test('secrets are nowhere but in the one answer: not in lists, the audit log, attempts or the log', async () => {
    const { id, secret } = await subscribe({ url: `${url}/hidden-path?token=hidden-query` });
    receiver.react = () => 500;
    await raise();
    await until(
      'an attempt',
      async () => (await admin.call('GET', `/webhooks/${id}/deliveries`)).body.length,
    );
    const { body: rotated } = await admin.call('POST', `/webhooks/${id}/rotate-secret`);
    await admin.call('PATCH', `/webhooks/${id}`, { url });
    const shown = await Promise.all(
      ['/webhooks', `/webhooks/${id}/deliveries`, `/webhooks/${id}/dead-letters`, '/audit'].map(
        async (path) => JSON.stringify((await admin.call('GET', path)).body),
      ),
    );
    const all = [...shown, ...rig.logged, JSON.stringify(tenant.audit())].join('\n');
    for (const hidden of [secret, rotated.secret, 'hidden-path', 'hidden-query'])
      expect(all).not.toContain(hidden);
    expect(all).toContain('rotate-secret');
    expect(all).toContain('urlChanged');
  });
});

describe('REST', () => {
  test('operators and API keys get 403', async () => {
    expect((await tenant.call('GET', '/webhooks')).status).toBe(403);
    const operator = await rig.house.person(tenant.orgId, { role: 'operator' });
    expect((await operator.call('POST', '/webhooks', { url, types: ['tag_moved'] })).status).toBe(403);
  });

  test.each([
    ['a relative address', { url: '/hook' }, 'url'],
    ['another scheme', { url: 'ftp://example.org/' }, 'url'],
    ['a password in the address', { url: 'https://a:b@example.org/' }, 'url'],
    ['a fragment', { url: 'https://example.org/#a' }, 'url'],
    ['no type', { types: [] }, 'types'],
    ['an unknown type', { types: ['alert_closed'] }, 'types.0'],
    ['a zone that is not there', { zoneIds: [randomUUID()] }, 'zoneIds.0'],
    ['an asset that is not there', { assetIds: [randomUUID()] }, 'assetIds.0'],
    ['certificates that are none', { caPem: 'certificates' }, 'caPem'],
  ])('%s is a 400 that names it', async (_, change, path) => {
    const { status, body } = await admin.call('POST', '/webhooks', { url, types: ['tag_moved'], ...change });
    expect([status, body.errors?.[0].path]).toEqual([400, path]);
    expect(rig.house.store.count(tables.webhooks)).toBe(0);
  });

  test('twenty for each organisation', async () => {
    for (let i = 0; i < 20; i++) await subscribe();
    const { status, body } = await admin.call('POST', '/webhooks', { url, types: ['tag_moved'] });
    expect([status, body.type]).toEqual([409, '/problems/webhook-limit']);
  });

  test('deleting takes what waits and what is known of its deliveries with it', async () => {
    receiver.react = () => 500;
    const { id } = await subscribe();
    await raise();
    await until('an attempt', () => rig.house.store.count(tables.webhookAttempts) > 0);
    expect((await admin.call('DELETE', `/webhooks/${id}`)).status).toBe(204);
    await until('nothing to be left', async () => {
      await rig.deliverer.run();
      const { webhookOutbox, webhookAttempts } = tables;
      return rig.house.store.count(webhookOutbox) + rig.house.store.count(webhookAttempts) === 0;
    });
    expect((await admin.call('GET', `/webhooks/${id}/deliveries`)).status).toBe(404);
  });

  test('a test sends one message at once and answers what came of it', async () => {
    const { id, secret } = await subscribe({ enabled: false });
    const good = await admin.call('POST', `/webhooks/${id}/test`);
    expect(good.body).toEqual({ delivered: true, statusCode: 204, durationMs: expect.any(Number) });
    const [message] = receiver.received;
    expect(message?.type).toBe('webhook_test');
    expect(message && isSigned(message, secret)).toBe(true);
    receiver.react = () => 418;
    const bad = await admin.call('POST', `/webhooks/${id}/test`);
    expect(bad.body).toMatchObject({ delivered: false, statusCode: 418, error: 'the receiver answered 418' });
    await admin.call('PATCH', `/webhooks/${id}`, { url: 'http://127.0.0.1:1/' });
    const none = await admin.call('POST', `/webhooks/${id}/test`);
    expect(none.body).toMatchObject({ delivered: false, error: expect.stringContaining('refused') });
    expect(none.body).not.toHaveProperty('statusCode');
  });
});
