import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MailServer } from '../../src/features/webhooks/mail-server.ts';
import { tables } from '../../src/store/tables.ts';
import type { Person } from '../support/account-house.ts';
import { placed, type Tenant } from '../support/house.ts';
import { MailReceiver, Reply } from '../support/mail-receiver.ts';
import { until } from '../support/wait.ts';
import { openWebhookHouse, putWebhook, type WebhookHouse } from '../support/webhook-house.ts';

let rig: WebhookHouse;
let tenant: Tenant;
let admin: Person;
let receiver: MailReceiver;

async function open(mail: MailServer | null): Promise<void> {
  rig = await openWebhookHouse(mail);
  tenant = await rig.house.tenant('Ours');
  admin = await rig.house.person(tenant.orgId, { email: 'admin@example.org' });
}

beforeEach(async () => {
  receiver = new MailReceiver();
  const none = { user: null, passwordFile: null, caFile: null };
  const port = await receiver.open();
  await open(
    new MailServer({ host: '127.0.0.1', port, security: 'none', from: 'tagkeep@site.example', ...none }),
  );
});
afterEach(async () => {
  await rig.close();
  await receiver.close();
});

const types = ['tag_moved', 'asset_created', 'asset_check_out'];
async function subscribe(more: object = {}): Promise<{ id: string }> {
  const wanted = { emailTo: ['lead@example.org'], types, ...more };
  const { status, body } = await admin.call('POST', '/webhooks', wanted);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}
const mails = (count: number) =>
  until(`${count} e-mails`, async () => {
    await rig.deliverer.run();
    if (receiver.inFlight === 0) rig.house.now += 1000;
    return receiver.taken.length >= count && receiver.taken;
  });

describe('what is told', () => {
  test('moves with the names of both zones and assets with their number, in one message', async () => {
    await subscribe();
    const [dock, shelf] = [await tenant.zone('Dock 1'), await tenant.zone('Shelf B')];
    const tag = await tenant.tag('E2801160600002000000AB01', placed(dock.no, rig.house.now));
    await rig.house.say(tag.no, { name: 'Pump 7' });
    const move = { from: dock.no, to: shelf.no, at: rig.house.now };
    await rig.house.store.write((tx) => rig.onMoves(tx, [{ orgId: tenant.orgId, tagNo: tag.no, move }]));
    const { body } = await tenant.call('POST', '/assets', { name: 'Cart', assetTagNumber: 'C-1' });
    await tenant.call('POST', `/assets/${body.id}/check-out`, { custodian: 'R. Ortiz' });
    const [mail] = await mails(1);
    expect(mail?.text).toMatch(/: Pump 7 \(E2801160600002000000AB01\) moved from Dock 1 to Shelf B\.\n/);
    expect(mail?.text).toMatch(
      /: Cart \(C-1\) was added\.\n[\s\S]*: Cart \(C-1\) was checked out to R\. Ortiz\.\n/,
    );
  });

  test('nothing of another organisation', async () => {
    await subscribe();
    const other = await rig.house.tenant('Theirs');
    await other.call('POST', '/assets', { name: 'Secret', assetTagNumber: 'S-1' });
    await tenant.call('POST', '/assets', { name: 'Cart', assetTagNumber: 'C-1' });
    const [mail] = await mails(1);
    expect(mail?.text).not.toContain('Secret');
    await until('nothing to wait', () => rig.house.store.count(tables.webhookOutbox) === 0);
  });
});

describe('subscribing', () => {
  test('is answered without a secret, and shown, changed, logged and audited like a webhook', async () => {
    const made = await subscribe({ emailTo: ['a@Example.ORG', 'a@example.org'] });
    expect(made).toMatchObject({ url: null, emailTo: ['a@example.org'], secret: null, paused: null });
    const changed = await admin.call('PATCH', `/webhooks/${made.id}`, { emailTo: ['b@example.org'] });
    expect(changed.body).toMatchObject({ url: null, emailTo: ['b@example.org'] });
    await tenant.call('POST', '/assets', { name: 'Cart', assetTagNumber: 'C-1' });
    const [mail] = await mails(1);
    expect(mail?.to).toEqual(['b@example.org']);
    await until('it to be logged', () => rig.house.store.count(tables.webhookAttempts) > 0);
    const { body } = await admin.call('GET', `/webhooks/${made.id}/deliveries`);
    expect(body).toEqual([
      {
        ...{ id: expect.any(String), type: 'asset_created', at: expect.any(String), outcome: 'delivered' },
        ...{ attempt: 1, statusCode: 250, durationMs: expect.any(Number) },
        ...{ response: '250 queued as 42', events: 1 },
      },
    ]);
    const audited = tenant.audit().filter(({ resource }) => resource === `webhooks/${made.id}`);
    expect(audited.map(({ action, after }) => [action, after])).toEqual([
      ['create', expect.objectContaining({ emailTo: ['a@example.org'] })],
      ['update', expect.objectContaining({ emailTo: ['b@example.org'] })],
    ]);
  });

  test('a test sends one e-mail at once and answers what the mail server said', async () => {
    const { id } = await subscribe({ enabled: false });
    const good = await admin.call('POST', `/webhooks/${id}/test`);
    expect(good.body).toMatchObject({ delivered: true, statusCode: 250, response: '250 queued as 42' });
    expect(receiver.taken[0]).toMatchObject({ subject: 'Tagkeep: test', to: ['lead@example.org'] });
    receiver.onRecipient = () => new Reply(550, 'no such user');
    const bad = await admin.call('POST', `/webhooks/${id}/test`);
    expect(bad.body).toMatchObject({ delivered: false, statusCode: 550, response: '550 no such user' });
  });

  test.each<readonly [object, string]>([
    [{}, 'must be given, or emailTo in its place, not both'],
    [{ url: 'http://a.example/', emailTo: ['a@b.c'] }, 'must be given, or emailTo in its place, not both'],
    [{ emailTo: [] }, 'emailTo'],
    [{ emailTo: Array.from({ length: 21 }, (_, i) => `a${i}@b.c`) }, 'emailTo'],
    [{ emailTo: ['Lead <lead@example.org>'] }, 'emailTo.0 must be an address such as'],
    [{ emailTo: ['a@b.c\r\nBcc: d@e.f'] }, 'emailTo.0 must be an address such as'],
    [{ emailTo: ['a@b.c, d@e.f'] }, 'emailTo.0 must be an address such as'],
    [{ emailTo: ['"a b"@c.d'] }, 'emailTo.0 must be an address such as'],
    [{ emailTo: [`${'a'.repeat(250)}@b.c`] }, 'emailTo.0'],
    [{ emailTo: ['a@b.c'], caPem: 'x' }, 'caPem is not for e-mail; set mail.caFile'],
  ])('%j is refused, naming what is wrong', async (body, said) => {
    const answer = await admin.call('POST', '/webhooks', { types, ...body });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(said);
    expect(rig.house.store.count(tables.webhooks)).toBe(0);
  });

  test('e-mail never becomes a webhook, nor the other way round, and has no secret to rotate', async () => {
    const { id } = await subscribe();
    const hook = await admin.call('POST', '/webhooks', { url: 'http://127.0.0.1:1/', types });
    const refused = [
      await admin.call('PATCH', `/webhooks/${id}`, { url: 'http://127.0.0.1:1/' }),
      await admin.call('PATCH', `/webhooks/${hook.body.id}`, { emailTo: ['a@b.c'] }),
      await admin.call('POST', `/webhooks/${id}/rotate-secret`),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
  });
});

test('without a mail server a subscription is refused with the key to set, and one from before is kept and says why', async () => {
  await rig.close();
  await open(null);
  const answer = await admin.call('POST', '/webhooks', { emailTo: ['a@b.c'], types });
  expect([answer.status, answer.body.detail]).toEqual([
    400,
    'emailTo needs a mail server; set mail.host in the configuration.',
  ]);
  const old = await putWebhook(rig.house.store, tenant.orgId, { emailTo: ['a@b.c'], secret: null });
  const { body } = await admin.call('POST', `/webhooks/${old.id}/test`);
  expect(body).toMatchObject({ delivered: false, error: 'mail.host is not set in the configuration' });
});
