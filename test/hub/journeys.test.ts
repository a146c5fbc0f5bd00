import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Alert } from '../../src/contract/alert.ts';
import type { Antenna } from '../../src/contract/antenna.ts';
import type { Floor } from '../../src/contract/floor.ts';
import type { Reader } from '../../src/contract/reader.ts';
import type { Site } from '../../src/contract/site.ts';
import { openStore } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import type { ReaderInService, Rest } from '../support/appliance.ts';
import { checkAxe, type Login } from '../support/browser.ts';
import { HubHouse } from '../support/hub-house.ts';
import { pngOf } from '../support/png.ts';
import { type Publisher, plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const EPC = '3034257BF7194E4000001A85';
const house = new HubHouse({
  env: { TAGKEEP_COMMANDS__ACK_TIMEOUT_SECONDS: '1.5', TAGKEEP_ALERTS__READER_OFFLINE_SECONDS: '0' },
});
const receiver = new WebhookReceiver();
let rest: Rest;
let operator: Login;
let reader: ReaderInService;
let webhookId = '';

const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true });
const readerNow = async (): Promise<Reader> => {
  const found = (await rest.get<Reader[]>('/readers')).find(({ id }) => id === reader.readerId);
  if (!found) throw new Error('the reader is gone');
  return found;
};

/** The reader is there and reads a tag; it has no agent. */
async function connect(): Promise<Publisher> {
  const link = await house.connect(reader);
  await link.publish({ payload: plainRead(EPC) });
  return link;
}

/** What a receiver refused for four days: the outbox says so while nobody serves it. */
async function age(): Promise<void> {
  const store = openStore(house.appliance.dataDir);
  const [waiting] = Array.from(store.range(tables.webhookOutbox));
  if (!waiting) throw new Error('nothing waits');
  const { key, value } = waiting;
  const old = { ...value, attempts: 20, queuedAt: Date.now() - 4 * 86_400_000, nextAt: 0 };
  await store.write((tx) => tx.put(tables.webhookOutbox, key, old));
  await store.close();
}

beforeAll(async () => {
  await house.start();
  rest = house.rest;
  operator = await house.addUser('hands@example.org', 'operator');
  receiver.react = () => 503;
  const webhook = { url: await receiver.open(), types: ['asset_created'] };
  webhookId = (await house.admin.ok<{ id: string }>('POST', '/webhooks', webhook)).id;
  reader = await house.reader('370-21-09-0001', { 1: await house.zone('Dock') });
  await rest.ok('POST', '/assets', { name: 'Charger', assetTagNumber: 'C-1', epc: EPC });
  await until('the first attempt', () => receiver.received.length > 0);
  await house.appliance.stop();
  await age();
  await house.restart();
}, 90_000);
afterAll(async () => {
  await receiver.close();
  await house.dispose();
});

describe('putting a reader into service', () => {
  const provision = (serial: string) =>
    house.appliance.cliJson<{ claimCode: string }>(
      ...['reader', 'provision', serial, '--out', `${house.appliance.root}/${serial}`, '--key-type', 'ecdsa'],
    );

  test('by its code, which an operator may; codes that are none, void or withdrawn are explained', async () => {
    const { claimCode: withdrawn } = await provision('370-21-09-0002');
    await house.appliance.cli('reader', 'withdraw', '370-21-09-0002');
    const { claimCode: void_ } = await provision('370-21-09-0003');
    const { claimCode } = await provision('370-21-09-0003');
    const { page, leave } = await house.open('/readers', { user: operator });
    await page.getByRole('link', { name: 'Put a reader into service' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Gate');
    const code = page.getByLabel('Claim code').last();
    for (const [typed, said] of [
      ['TK-AAAA-BBBB-CCCC', 'This code is not valid'],
      [void_, 'a newer one makes it void'],
      [withdrawn, 'was withdrawn'],
    ] as const) {
      await code.fill(typed);
      await button(page, 'Take it into service').click();
      await page.getByRole('alert').filter({ hasText: said }).waitFor();
    }
    expect(await checkAxe(page)).toEqual([]);
    await code.fill(claimCode.replaceAll('-', '').toLowerCase());
    await page.keyboard.press('Enter');
    await page.waitForURL('**/setup/ports/*');
    await leave(/status of 40[49]/);
  }, 60_000);

  test('from those that wait, which the readers’ page tells of', async () => {
    await provision('370-21-09-0004');
    const { page, leave } = await house.open('/readers');
    await page.getByText('1 reader has an identity').waitFor();
    await page.getByRole('link', { name: 'Take into service' }).click();
    await page.getByLabel('Name for 370-21-09-0004').fill('Ramp');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/setup/ports/*');
    await page.goto(`${house.origin}/readers`);
    await page.getByRole('link', { name: 'Ramp' }).waitFor();
    expect(await page.getByText('has an identity').count()).toBe(0);
    await leave();
  }, 60_000);
});

test('a command that fails, and one nobody answers, is explained and can be tried again', async () => {
  const link = await connect();
  const { page, leave } = await house.open('/readers');
  const card = page.getByRole('listitem').filter({ hasText: reader.serial });
  await button(card, `Stop Reader ${reader.serial}`).click();
  const id = await until('the command', async () => (await readerNow()).lastCommand?.id);
  const payload = JSON.stringify({ id, ok: false, error: 'preset not found', status: '' });
  await link.publish({ payload, topic: 'command-response' });
  await card.getByText('Send the antenna settings again').waitFor();
  expect(await checkAxe(page)).toEqual([]);
  await button(card, `Stop again: Reader ${reader.serial}`).click();
  await card.getByText('No agent answered').waitFor();
  expect((await readerNow()).lastCommand).toMatchObject({ kind: 'stop', error: 'timeout' });
  await link.close();
  await leave();
}, 60_000);

test('what a receiver refused is in the log and among what was given up, and goes out when sent again', async () => {
  const { page, leave } = await house.open(`/admin/webhooks/${webhookId}`);
  const log = page.getByRole('table', { name: 'Deliveries' });
  await log.getByText('given up').waitFor();
  await log.getByText('Answer: 503').first().waitFor();
  await page.getByRole('tab', { name: 'Given up' }).click();
  await page.getByText(/2[01] attempts/).waitFor();
  receiver.react = () => 204;
  await button(page, 'Send again').click();
  await page.getByText('Nothing was given up').waitFor();
  await until('the delivery', () => receiver.taken.length === 1);
  await page.getByRole('tab', { name: 'Deliveries' }).click();
  await log.getByText('delivered', { exact: true }).waitFor();
  await leave();
}, 60_000);

describe('a second site', () => {
  test('gets zones of its own, and its floor leads there; times stay those of the first', async () => {
    const { page, leave } = await house.open('/admin/settings/new-site');
    await page.getByLabel('Name of the site').fill('Auckland');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Pacific/Auck');
    await page.getByRole('option', { name: 'Pacific/Auckland' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add a site' }).click();
    await page.getByText('The site was added').waitFor();
    const [site, home] = await rest.get<Site[]>('/sites');
    await page.goto(`${house.origin}/floor?site=${site?.id}`);
    await page.getByText('No zones yet').waitFor();
    await page.getByRole('combobox', { name: 'Site' }).waitFor();
    await page.getByRole('link', { name: 'To the setup' }).click();
    await page.getByRole('textbox', { name: 'Dock doors' }).fill('1');
    await page.getByRole('textbox', { name: 'Shelves' }).fill('0');
    await button(page, 'Propose zones').click();
    await button(page, 'Make 2 zones').click();
    await page.waitForURL('**/setup/reader**');
    await page.goto(`${house.origin}/floor?site=${site?.id}`);
    await page.getByRole('button', { name: /^Dock door 1/ }).waitFor();
    expect(await page.getByRole('button', { name: /^Dock\b(?! door)/ }).count()).toBe(0);
    await page.goto(`${house.origin}/assets`);
    await button(page, 'Check out Charger').click();
    await page.getByText(`Time of the site (${home?.timeZone})`).waitFor();
    await leave();
  }, 60_000);
});

describe('two people who edit the same', () => {
  const points = [
    [0.1, 0.1],
    [0.4, 0.1],
    [0.4, 0.5],
  ] as const;

  test('settings of a reader: what both changed is asked, what one changed stays', async () => {
    const path = `/readers/${reader.readerId}/antennas`;
    const [one, two] = await rest.get<Antenna[]>(path);
    const { page, leave } = await house.open(path);
    const power = page.getByRole('group', { name: 'Port 1' }).getByLabel('Power (dBm)');
    await power.fill('27.1');
    await rest.ok('PUT', path, [
      { port: 1, zoneId: one?.zoneId, transmitPowerCdbm: 2400 },
      { port: 2, zoneId: one?.zoneId, enabled: !two?.enabled },
    ]);
    await button(page, 'Save and send').click();
    const asked = page.getByRole('alert').filter({ hasText: 'Somebody else has changed this meanwhile' });
    await asked.getByText('Port 1, Power (dBm): now 24.00').waitFor();
    expect((await rest.get<Antenna[]>(path))[0]?.transmitPowerCdbm).toBe(2400);
    expect(await checkAxe(page)).toEqual([]);
    await button(asked, 'Keep mine').click();
    await button(page, 'Save and send').click();
    await page.getByText('Saved; on its way').waitFor();
    expect(await rest.get<Antenna[]>(path)).toMatchObject([
      { transmitPowerCdbm: 2710, zoneId: one?.zoneId },
      { zoneId: one?.zoneId, enabled: !two?.enabled },
      {},
      {},
    ]);
    await leave();
  }, 60_000);

  test('a drawing: both are put together, and the same zone is asked for', async () => {
    const shelf = await house.zone('Shelf');
    const { page, leave } = await house.open('/floor');
    await button(page, 'Draw zones').click();
    const path = `/sites/${(await rest.get<Site[]>('/sites')).at(-1)?.id}/floor`;
    await button(page, 'Draw Dock').click();
    await rest.ok('PUT', path, { zones: [{ zoneId: shelf, points }], antennas: [] });
    await page.getByText('What they changed is in yours').waitFor();
    // The page has not heard of a zone that is made now.
    const late = { zoneId: await house.zone('Late'), points };
    await page.getByRole('button', { name: 'Area Shelf, 3 corners' }).focus();
    await page.keyboard.press('ArrowRight');
    await rest.ok('PUT', path, {
      zones: [{ zoneId: shelf, points: points.toReversed() }, late],
      antennas: [],
    });
    const asked = page.getByRole('alert').filter({ hasText: 'Somebody else has drawn the same meanwhile' });
    await asked.getByText('Shelf').waitFor();
    expect(await checkAxe(page)).toEqual([]);
    await button(asked, 'Take what is saved').click();
    await button(page, 'Save').click();
    await page.getByText('The drawing is saved').waitFor();
    const { zones } = await rest.get<Floor>(path);
    expect(zones.map(({ points: { length } }) => length).toSorted()).toEqual([3, 3, 4]);
    expect(zones).toContainEqual(late);
    expect(zones.find(({ zoneId }) => zoneId === shelf)?.points).toEqual(points.toReversed());
    await leave();
  }, 60_000);

  test('a value of a tag: the other’s is shown before it is replaced', async () => {
    await rest.ok('PUT', `/tags/${EPC}/data`, { Note: 'old' });
    const { page, leave } = await house.open(`/tags/${EPC}`);
    const drawer = page.getByRole('dialog');
    await drawer
      .getByRole('button', { name: /^Edit Note|Note/ })
      .first()
      .click();
    await drawer.getByLabel('Note', { exact: true }).fill('mine');
    await rest.ok('PUT', `/tags/${EPC}/data`, { Note: 'theirs' });
    await button(drawer, 'Save').click();
    await drawer.getByText('Somebody else has written "theirs" meanwhile').waitFor();
    await button(drawer, 'Save').click();
    await drawer.getByLabel('Note', { exact: true }).waitFor({ state: 'detached' });
    expect(await rest.get(`/tags/${EPC}/data`)).toMatchObject({ attributes: { note: 'mine' } });
    await leave();
  }, 60_000);
});

describe('by keyboard alone', () => {
  const hasFocus = (page: Page) => page.evaluate('document.activeElement !== document.body');
  const isFocused = (target: Locator) =>
    target
      .and(target.page().locator(':focus'))
      .count()
      .then((count) => count === 1);

  /** Tab until it is there. */
  async function tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    for (let presses = 0; presses < 80; presses += 1) {
      if (await isFocused(target)) return;
      await target.page().keyboard.press('Tab');
    }
    throw new Error(`cannot be reached by Tab: ${target}`);
  }
  const press = async (target: Locator) => {
    await tabTo(target);
    await target.page().keyboard.press('Enter');
  };
  const closes = async (page: Page, opener: Locator) => {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await until('the focus to return', () => isFocused(opener));
  };

  test('log in, find a tag, check an asset out, acknowledge an alert, stop a reader', async () => {
    const link = await connect();
    await link.close();
    await rest.ok('PATCH', `/readers/${reader.readerId}`, { enabled: true });
    await until('the alert', async () => (await rest.get<Alert[]>('/alerts?state=open')).length > 0);
    const { page, leave } = await house.open('/', { user: null });
    const { keyboard } = page;
    await tabTo(page.getByLabel('E-mail'));
    await keyboard.type(house.user.email);
    await tabTo(page.getByRole('textbox', { name: 'Password' }));
    await keyboard.type(house.user.password);
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();

    await keyboard.press('/');
    await keyboard.type(EPC);
    await keyboard.press('Enter');
    await page.locator('[data-answer]').getByText(EPC).waitFor();
    expect(await hasFocus(page)).toBe(true);

    await press(page.getByRole('link', { name: 'Assets' }));
    const asset = page.getByRole('link', { name: 'Charger' });
    await press(asset);
    const drawer = page.getByRole('dialog', { name: 'Charger', exact: true });
    await press(button(drawer, 'Check out Charger'));
    await tabTo(page.getByRole('combobox', { name: 'Who takes it' }));
    await keyboard.type('R. Ortiz');
    await keyboard.press('Enter');
    await drawer.getByText('R. Ortiz').first().waitFor();
    await page.getByRole('dialog', { name: 'Check out Charger' }).waitFor({ state: 'detached' });
    await drawer.and(page.locator(':focus-within')).waitFor();
    await closes(page, asset);

    await press(page.getByRole('link', { name: /^Alerts/ }));
    await press(button(page, 'Acknowledge').first());
    await page.getByText('No open alerts').waitFor();
    await until('the focus', () => hasFocus(page));

    await press(page.getByRole('link', { name: 'Readers' }));
    const name = `Reader ${reader.serial}`;
    const card = page.getByRole('link', { name });
    await press(card);
    const details = page.getByRole('dialog', { name });
    await press(button(details, `Stop ${name}`));
    await until('it to be stopped', async () => !(await readerNow()).enabled);
    await until('the focus to stay', () => isFocused(button(details, `Start ${name}`)));
    await closes(page, card);
    await leave();
  }, 60_000);
});

// The last: it ends with a licence that refuses everything else.
test('a plan that is none is refused in words; while nothing may be changed the floor says why', async () => {
  const { page, leave } = await house.open('/floor');
  const file = page.locator('input[type=file]');
  const png = (buffer: Buffer) => ({ name: 'plan.png', mimeType: 'image/png', buffer });
  await file.setInputFiles(png(pngOf(40, 30).subarray(0, 60)));
  await page.getByRole('alert').getByText('The PNG is cut off.').waitFor();
  await file.setInputFiles(png(pngOf(40, 30)));
  await page.getByText('The plan is uploaded.').waitFor();
  await page.locator('main img').waitFor();
  const token = house.expiredLicence();
  await page.request.put(`${house.origin}/api/v1/license`, { data: { token } });
  // The page does not know yet: the appliance refuses.
  await file.setInputFiles(png(pngOf(20, 30)));
  await page.getByRole('alert').filter({ hasText: 'The licence ended' }).waitFor();
  await page.reload();
  const draw = button(page, 'Draw zones');
  await until('drawing to be off', async () => (await draw.getAttribute('aria-disabled')) === 'true');
  await draw.focus();
  await page.getByRole('tooltip').filter({ hasText: 'The licence refuses changes now.' }).waitFor();
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).searchParams.get('edit')).toBeNull();
  expect(await checkAxe(page)).toEqual([]);
  await leave(/status of 40[02]/);
}, 60_000);
