import { afterAll, beforeAll, expect, test } from 'vitest';
import { HubHouse } from '../support/hub-house.ts';

const house = new HubHouse();

beforeAll(async () => {
  await house.start();
  await house.zone('Dock');
  await house.rest.ok('PUT', '/tags/E28011000000000000000001/data', { name: 'Pump' });
}, 90_000);
afterAll(() => house.dispose());

test('the frame stands before the program has come, and nothing of it is left afterwards', async () => {
  const { page, leave } = await house.open('/healthz');
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/assets/react-*.js', (route) => held.then(() => route.continue()));
  await page.goto(`${house.origin}/now`, { waitUntil: 'commit' });
  await page.getByText('Tagkeep', { exact: true }).waitFor();
  expect(await page.getByRole('heading').count()).toBe(0);
  release();
  await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
  expect(await page.locator('.frame').count()).toBe(0);
  await leave();
}, 60_000);

test('nothing is painted before it is known in which colours', async () => {
  const { page, leave } = await house.open('/healthz');
  await page.evaluate(`localStorage.setItem('mantine-color-scheme-value', 'dark')`);
  // Everything else that painting could wait for is there before.
  const others = Promise.all([
    page.waitForResponse('**/assets/frame-*.css').then((answer) => answer.finished()),
    page.waitForResponse('**/assets/react-*.js').then((answer) => answer.finished()),
  ]);
  await page.route('**/assets/early-*.js', (route) => others.then(() => route.continue()));
  await page.goto(`${house.origin}/now`);
  await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
  const [known, painted] = await page.evaluate<[number, number]>(`[
    performance.getEntriesByType('resource').find(({ name }) => name.includes('/early-')).responseEnd,
    performance.getEntriesByName('first-paint')[0].startTime,
  ]`);
  expect(painted).toBeGreaterThan(known);
  expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
  await leave();
}, 60_000);

const frame = ['/auth/me', '/sites', '/alerts?state=open', '/license'];

// The program takes the answers that the first script has asked for: a key that is none of its own would have them asked for twice.
test.each([
  {
    view: 'now',
    value: '[data-zone="Dock"]',
    own: ['/readers', '/inventory/summary', '/inventory/history?minutes=60'],
  },
  { view: 'tags', value: '[data-row="0"][data-col="1"]:not(:empty)', own: ['/fields'] },
])(
  'what the view $view wants to know at first is asked for once',
  async ({ view, value, own }) => {
    const { page, leave } = await house.open('/healthz');
    const paths: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/api/v1/')) paths.push(pathname.slice('/api/v1'.length) + search);
    });
    // However slow the machine is, no answer is so old that it is asked for again.
    await page.clock.setFixedTime(new Date());
    const streamed = page.waitForRequest('**/events/stream*');
    await page.goto(`${house.origin}/${view}`);
    await Promise.all([
      streamed,
      page.getByRole('heading', { level: 1 }).waitFor(),
      page.locator(value).waitFor(),
    ]);
    // What is shown has asked for what it lacks by the picture after.
    await page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))');
    expect(paths).toEqual(expect.arrayContaining([...frame, ...own]));
    expect(paths.filter((path, i) => paths.indexOf(path) !== i)).toEqual([]);
    await leave();
  },
  60_000,
);
