// Pictures of every page of the hub, light and dark, on a desktop and on a phone, into shots/: `npm run shots`.
// `-- --readme` also renews the two that README.md shows.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { packageRoot } from './build.mjs';
import { chromiumFlags, chromiumProgram, login, openShowcase } from './hub/showcase.mjs';

const SCREENS = { desktop: { width: 1440, height: 900 }, phone: { width: 360, height: 740 } };
const SETTLE_MS = 1500;
const POINTS = 6;
// The picture's name, and where in the hub it is taken.
const PAGES = {
  now: () => '/now',
  kiosk: () => '/now?kiosk',
  find: ({ epc }) => `/find?q=${epc}`,
  tags: () => '/tags',
  tag: ({ epc }) => `/tags/${epc}`,
  readers: () => '/readers',
  reader: ({ reader }) => `/readers/${reader}`,
  radio: () => '/radio',
  assets: () => '/assets',
  asset: ({ asset }) => `/assets/${asset}`,
  floor: ({ epc }) => `/floor?epc=${epc}`,
  alerts: () => '/alerts',
  setup: () => '/setup',
  ...Object.fromEntries(
    ['users', 'keys', 'webhooks', 'audit', 'licence', 'backups', 'settings', 'health'].map((part) => [
      `admin-${part}`,
      () => `/admin/${part}`,
    ]),
  ),
};
const README = { now: 'now.png', tags: 'tags.png' };

const { values } = parseArgs({
  options: { readme: { type: 'boolean' }, only: { type: 'string' }, out: { type: 'string' } },
});
const out = values.out ?? join(packageRoot, 'shots');

/** What the addresses name: something that is there. */
async function subjects(page) {
  const get = async (path) => (await page.request.get(`/api/v1${path}`)).json();
  const [tag] = await get('/tags?q=pump');
  const [reader] = await get('/readers');
  const [asset] = await get('/assets');
  return { epc: tag.epc, reader: reader.id, asset: asset.id };
}

/** Waits until the zones have curves: a point a minute. */
async function curves(page) {
  for (;;) {
    const { zones } = await (await page.request.get('/api/v1/inventory/history')).json();
    if (zones.some(({ counts }) => counts.filter((count) => count !== null).length >= POINTS)) return;
    await page.waitForTimeout(SETTLE_MS);
  }
}

async function signIn(context) {
  const answer = await context.request.post('/api/v1/auth/login', { data: login });
  if (!answer.ok()) throw new Error(`the login was answered with ${answer.status()}`);
}

async function take(page, path, file) {
  await page.goto(path);
  await page.waitForSelector('h1', { timeout: 15_000 });
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'), null, { timeout: 15_000 });
  // Drawers slide in, curves are drawn.
  await page.waitForTimeout(SETTLE_MS);
  await page.screenshot({ path: file });
}

async function takeAll(browser, origin, { screen, scheme }) {
  const viewport = SCREENS[screen];
  const context = await browser.newContext({
    baseURL: origin,
    viewport,
    colorScheme: scheme,
    locale: 'en-GB',
  });
  await signIn(context);
  const page = await context.newPage();
  const known = await subjects(page);
  if (values.readme) await curves(page);
  for (const [name, path] of Object.entries(PAGES)) {
    if (values.only && values.only !== name) continue;
    const file = join(out, `${name}-${screen}-${scheme}.png`);
    await take(page, path(known), file).catch((error) => {
      process.exitCode = 1;
      process.stderr.write(`${name}-${screen}-${scheme}: ${String(error.message).split('\n')[0]}\n`);
    });
  }
  await context.close();
}

fs.mkdirSync(out, { recursive: true });
const showcase = await openShowcase(packageRoot);
const browser = await chromium.launch({ executablePath: chromiumProgram(), args: chromiumFlags });
try {
  for (const screen of Object.keys(SCREENS))
    for (const scheme of ['light', 'dark']) await takeAll(browser, showcase.origin, { screen, scheme });
  if (values.readme)
    for (const [name, file] of Object.entries(README))
      fs.copyFileSync(join(out, `${name}-desktop-light.png`), join(packageRoot, 'scripts', 'hub', file));
} finally {
  await browser.close();
  await showcase.stop();
}
process.stdout.write(`${fs.readdirSync(out).length} pictures in ${out}\n`);
