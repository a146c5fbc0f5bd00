import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAxe } from '../support/browser.ts';
import { HubHouse } from '../support/hub-house.ts';
import { plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';

const house = new HubHouse({ env: { TAGKEEP_ALERTS__READER_OFFLINE_SECONDS: '0' } });
const naughty = '<img src=x onerror=alert(1)> \u202Eלוח';

/** A reader that was there and is gone. */
async function lostReader(serial: string): Promise<void> {
  const reader = await house.reader(serial);
  await house.rest.ok('PATCH', `/readers/${reader.readerId}`, { name: `${serial} ${naughty}` });
  const link = await house.connect(reader);
  await link.publish({ payload: plainRead('3034257BF7194E4000001A85') });
  await link.close();
}

beforeAll(async () => {
  await house.start();
  for (const serial of ['370-21-09-0001', '370-21-09-0002', '370-21-09-0003']) await lostReader(serial);
  await until('three alerts', async () => (await house.rest.get<unknown[]>('/alerts')).length === 3, 30_000);
}, 90_000);
afterAll(() => house.dispose());

describe('alerts', () => {
  test('are acknowledged in one tap, resolved several at once, and their texts are text', async () => {
    const { page, leave } = await house.open('/alerts');
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
    expect(await house.rest.get('/alerts?state=resolved')).toHaveLength(2);
    await leave();
  }, 60_000);

  test('are readable in the dark, and cannot be changed while the licence is read-only', async () => {
    const { page, leave } = await house.open('/admin/licence', { colorScheme: 'dark' });
    // What ends being read-only is installed in the same place, and stays possible.
    await page.getByRole('textbox', { name: 'Licence' }).fill(house.expiredLicence());
    await page.getByRole('button', { name: 'Install a licence' }).click();
    await page.getByText('Expired', { exact: true }).waitFor();
    await page.goto(`${house.origin}/alerts?state=acked`);
    const resolve = page.getByRole('button', { name: 'Resolve' });
    await resolve.waitFor();
    await until('it to be off', async () => (await resolve.getAttribute('aria-disabled')) === 'true');
    expect(await checkAxe(page)).toEqual([]);
    await resolve.focus();
    await page.getByRole('tooltip', { name: 'The licence refuses changes now.' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await house.rest.get('/alerts?state=acked')).toHaveLength(1);
    await leave();
  }, 60_000);
});
