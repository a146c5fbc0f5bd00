import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Appliance, type Endpoints, Rest, readerInService } from '../support/appliance.ts';
import { checkAxe, openBrowser, openHub } from '../support/browser.ts';
import { claims, makeVendor, tokenOf } from '../support/licence-token.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';

const vendor = makeVendor();
const appliance = new Appliance({
  env: {
    TAGKEEP_ALERTS__READER_OFFLINE_SECONDS: '0',
    TAGKEEP_LICENCE__PUBLIC_KEY: vendor.publicPem.replaceAll('\n', '\\n'),
  },
});
const user = { email: 'lead@example.org', password: '' };
const naughty = '<img src=x onerror=alert(1)> \u202Eלוח';
let endpoints: Endpoints;
let browser: Browser;
let rest: Rest;

/** A reader that was there and is gone. */
async function lostReader(serial: string): Promise<void> {
  const reader = await readerInService(appliance, rest, { serial });
  await rest.ok('PATCH', `/readers/${reader.readerId}`, { name: `${serial} ${naughty}` });
  const link = await Publisher.connect({ url: endpoints.mqtts, serial, identity: reader.dir });
  await link.publish({ payload: plainRead('3034257BF7194E4000001A85') });
  await link.close();
}

beforeAll(async () => {
  endpoints = await appliance.start();
  const made = await appliance.cliJson<{ password: string }>('user', 'add', user.email, '--role', 'admin');
  user.password = made.password;
  rest = new Rest(endpoints, await appliance.key());
  browser = await openBrowser();
  for (const serial of ['370-21-09-0001', '370-21-09-0002', '370-21-09-0003']) await lostReader(serial);
  await until('three alerts', async () => (await rest.get<unknown[]>('/alerts')).length === 3, 30_000);
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await appliance.dispose();
});

describe('alerts', () => {
  test('are acknowledged in one tap, resolved several at once, and their texts are text', async () => {
    const { page, complaints, close } = await openHub(browser, endpoints.http, { user, path: '/alerts' });
    const items = page.getByRole('list', { name: 'Alerts' }).getByRole('listitem');
    await items.nth(2).waitFor();
    expect(await items.first().textContent()).toContain('<img src=x onerror=alert(1)>');
    expect(await page.locator('main img').count()).toBe(0);
    expect(await items.first().getByRole('link', { name: 'Go to the reader' }).getAttribute('href')).toMatch(
      /^\/readers\/[0-9a-f-]{36}$/,
    );
    expect(await checkAxe(page)).toEqual([]);
    await items.first().getByRole('button', { name: 'Acknowledge' }).click();
    await until('two alerts left', async () => (await items.count()) === 2);
    await page.getByRole('checkbox', { name: 'Select all shown' }).check();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Resolve' }).first().click();
    await page.getByText('No open alerts').waitFor();
    await page.getByRole('tab', { name: 'Acknowledged' }).click();
    await page.waitForURL('**/alerts?state=acked');
    await until('the acknowledged one', async () => (await items.count()) === 1);
    await page.getByRole('tab', { name: 'Resolved' }).click();
    await until('the resolved ones', async () => (await items.count()) === 2);
    expect(await rest.get('/alerts?state=resolved')).toHaveLength(2);
    expect(complaints).toEqual([]);
    await close();
  }, 60_000);

  test('are readable in the dark, and cannot be changed while the licence is read-only', async () => {
    const token = tokenOf(vendor, { ...claims, expiresAt: '2020-01-01T00:00:00Z' });
    const { page, complaints, close } = await openHub(browser, endpoints.http, {
      ...{ user, path: '/admin/licence', colorScheme: 'dark' },
    });
    // What ends being read-only is installed in the same place, and stays possible.
    await page.getByRole('textbox', { name: 'Licence' }).fill(token);
    await page.getByRole('button', { name: 'Install a licence' }).click();
    await page.getByText('Expired', { exact: true }).waitFor();
    await page.goto(`${endpoints.http}/alerts?state=acked`);
    const resolve = page.getByRole('button', { name: 'Resolve' });
    await resolve.waitFor();
    await until('it to be off', async () => (await resolve.getAttribute('aria-disabled')) === 'true');
    expect(await checkAxe(page)).toEqual([]);
    await resolve.focus();
    await page.getByRole('tooltip', { name: 'The licence refuses changes now.' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await rest.get('/alerts?state=acked')).toHaveLength(1);
    expect(complaints).toEqual([]);
    await close();
  }, 60_000);
});
