import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Appliance, type Endpoints } from '../support/appliance.ts';
import { openBrowser, openHub } from '../support/browser.ts';

const appliance = new Appliance();
const user = { email: 'lead@example.org', password: '' };
let endpoints: Endpoints;
let browser: Browser;

beforeAll(async () => {
  endpoints = await appliance.start();
  const made = await appliance.cliJson<{ password: string }>('user', 'add', user.email, '--role', 'admin');
  user.password = made.password;
  browser = await openBrowser();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await appliance.dispose();
});

test('the frame stands before the program has come, and nothing of it is left afterwards', async () => {
  const { page, complaints, close } = await openHub(browser, endpoints.http, { user, path: '/healthz' });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/assets/react-*.js', (route) => held.then(() => route.continue()));
  await page.goto(`${endpoints.http}/now`, { waitUntil: 'commit' });
  await page.getByText('Tagkeep', { exact: true }).waitFor();
  expect(await page.getByRole('heading').count()).toBe(0);
  release();
  await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
  expect(await page.locator('.frame').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
}, 60_000);

// The program takes the answers that the first script has asked for: a key that is none of its own would have them asked for twice.
test.each(['now', 'tags'])(
  'what /%s wants to know at first is asked for once',
  async (view) => {
    const { page, complaints, close } = await openHub(browser, endpoints.http, { user, path: '/healthz' });
    const paths: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/api/v1/')) paths.push(pathname.slice('/api/v1'.length) + search);
    });
    // However slow the machine is, no answer is so old that it is asked for again.
    await page.clock.setFixedTime(new Date());
    // Begun when the page is there and has asked for what it lacks.
    const streamed = page.waitForRequest('**/events/stream*');
    await page.goto(`${endpoints.http}/${view}`);
    await streamed;
    expect(paths).toContain('/auth/me');
    expect(paths.filter((path, i) => paths.indexOf(path) !== i)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  },
  60_000,
);
