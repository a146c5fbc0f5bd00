import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Appliance, type Endpoints } from '../support/appliance.ts';
import { checkAxe, openBrowser, openHub } from '../support/browser.ts';

// With its readers it takes longer to start.
const appliance = new Appliance({ startMs: 60_000 });
const user = { email: 'lead@example.org', password: '' };
let endpoints: Endpoints;
let browser: Browser;

beforeAll(async () => {
  // Two stand-in readers whose antennas overhear each other.
  endpoints = await appliance.start(['--demo']);
  const made = await appliance.cliJson<{ password: string }>('user', 'add', user.email, '--role', 'admin');
  user.password = made.password;
  browser = await openBrowser();
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await appliance.dispose();
});

describe('radio', () => {
  test('antennas, what two zones hear, and a policy that is tried, used and undone', async () => {
    const hub = await openHub(browser, endpoints.http, { user, path: '/radio' });
    const { page } = hub;
    const antennas = page.getByRole('table', { name: 'Virtual reader 1' });
    await antennas
      .getByRole('img', { name: /Most signals from/ })
      .first()
      .waitFor();
    await page
      .getByRole('button', { name: /tags heard in both/ })
      .first()
      .click({ timeout: 30_000 });
    const pair = page.getByRole('dialog');
    await pair.getByText('What to do').waitFor();
    expect(new URL(page.url()).searchParams.get('pair')).toMatch(/~/);
    await pair.getByRole('button', { name: /Try “stable”/ }).click();
    await pair.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText(/reads of .* tags were replayed/).waitFor();
    await page.getByRole('button', { name: /^Use it here/ }).click();
    await page.getByRole('cell', { name: 'Stable' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('cell', { name: 'Stable' }).waitFor({ state: 'detached' });
    expect(await checkAxe(page)).toEqual([]);
    expect(hub.complaints).toEqual([]);
    await hub.close();
  }, 90_000);

  test('on a phone in the dark nothing is beyond the edge, and axe finds nothing', async () => {
    const viewport = { width: 360, height: 740 };
    const hub = await openHub(browser, endpoints.http, {
      user,
      path: '/radio',
      viewport,
      colorScheme: 'dark',
    });
    const { page } = hub;
    await page.getByRole('table', { name: 'Tags heard in both zones' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(await checkAxe(page)).toEqual([]);
    expect(hub.complaints).toEqual([]);
    await hub.close();
  }, 60_000);
});
