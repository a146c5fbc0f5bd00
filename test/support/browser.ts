import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import type { Result } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { sessionCookie } from '../../src/http/access.ts';

/** Who logs in. */
export interface Login {
  readonly email: string;
  readonly password: string;
}

export interface PageOptions {
  /** Logged in before the page opens; nobody when absent. */
  readonly user?: Login;
  /** What `logIn` answered, instead of a login of the page's own. */
  readonly session?: string;
  /** Where it opens; the hub's first page when absent. */
  readonly path?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  readonly reducedMotion?: 'reduce' | 'no-preference';
}

/** A page of the hub in a browser of its own storage, and everything it had to complain of. */
export interface HubPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /**
   * Errors and warnings of the console, uncaught errors, violations of the content security policy and requests to anywhere but
   * the appliance, one line each; without a user not the 401 of `/auth/me`. A test expects it to be empty.
   */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** The first one is the same browser without the parts that draw windows: it starts four times as fast. */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser'];
const TIMEOUT_MS = 15_000;

/**
 * Debian's Chromium, without a window; one for a test file, closed in its `afterAll`. Its sandbox needs namespaces that root
 * is not given in containers, and it opens the appliance's own pages only.
 */
export function openBrowser(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({
    executablePath: program(),
    headless: true,
    // Containers have a small /dev/shm.
    args: ['--disable-dev-shm-usage', ...(isRoot ? ['--no-sandbox'] : [])],
  });
}

function program(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
  if (found) return found;
  throw new Error(`no ${PROGRAMS.join(' or ')} in PATH: apt-get install chromium-headless-shell`);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Opens a page of the appliance at this origin, as somebody or nobody. */
export async function openHub(browser: Browser, origin: string, options: PageOptions = {}): Promise<HubPage> {
  const { user, session = user && (await logIn(origin, user)), path = '/', ...look } = options;
  const context = await browser.newContext({ ...look, locale: 'en-GB', serviceWorkers: 'block' });
  context.setDefaultTimeout(TIMEOUT_MS);
  if (session !== undefined)
    await context.addCookies([
      { name: sessionCookie, value: session, url: origin, httpOnly: true, sameSite: 'Strict' as const },
    ]);
  const complaints: string[] = [];
  await context.addInitScript({ content: tellViolations });
  const page = await context.newPage();
  listen(page, { origin, complaints, isNobody: session === undefined });
  await page.goto(origin + path);
  return { page, context, complaints, close: () => context.close() };
}

/** The token of a new session. */
export async function logIn(origin: string, user: Login): Promise<string> {
  const answer = await fetch(`${origin}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(user),
  });
  const cookie = answer.headers.getSetCookie().find((one) => one.startsWith(`${sessionCookie}=`));
  const token = cookie?.slice(sessionCookie.length + 1).split(';')[0];
  if (!token) throw new Error(`login of ${user.email}: ${answer.status} ${await answer.text()}`);
  return token;
}

// Runs in the page, where there are other globals than here. The console's own words leave out what was violated by what.
const tellViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' forbids ' + event.blockedURI + ' ' + event.sample));`;

function listen(
  page: Page,
  options: { readonly origin: string; readonly complaints: string[]; readonly isNobody: boolean },
): void {
  const { origin, complaints, isNobody } = options;
  const note = (text: string): void => void complaints.push(text.replace(/\s+/g, ' '));
  page.on('console', (message) => {
    const { url } = message.location();
    // How a page finds out that nobody is logged in.
    if (isNobody && url.endsWith('/api/v1/auth/me') && message.text().includes('status of 401')) return;
    if (['error', 'warning'].includes(message.type())) note(`${message.type()}: ${message.text()} (${url})`);
  });
  page.on('pageerror', (error) => note(`uncaught: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && new URL(url).origin !== origin) note(`request to elsewhere: ${url}`);
  });
}

interface AxeFinding extends Pick<Result, 'id' | 'impact' | 'help'> {
  readonly nodes: readonly { readonly target: string; readonly summary: string }[];
}

/** What axe-core has to say of a page by WCAG 2.2 A and AA and its best practices, a line for each place; an accessible page has none. */
export async function checkAxe(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger: a script in the page would be against the page's policy. It stays until the next page.
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(axeSource());
  await page.evaluate(settle);
  // What runAxe makes, as JSON.
  const findings = (await page.evaluate(runAxe)) as readonly AxeFinding[];
  return findings.flatMap(({ id, impact, help, nodes }) =>
    nodes.map(({ target, summary }) => `${impact} ${id}: ${help}: ${target}: ${summary}`),
  );
}

// What the package calls its source is over twice as long, and takes a browser as much longer.
function axeSource(): string {
  return readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
}

const axeTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

// Runs in the page: half faded in, everything is too pale. What appears begins to move within three frames; what turns for
// ever is not waited for.
const settle = `(async () => {
  const moving = () => document.getAnimations().filter(({ effect, playState }) =>
    playState === 'running' && Number.isFinite(effect.getComputedTiming().endTime));
  do {
    await Promise.allSettled(moving().map(({ finished }) => finished));
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  } while (moving().length > 0);
})()`;

// Runs in the page, where axe has just been put.
const runAxe = `axe.run({ resultTypes: ['violations'], runOnly: { type: 'tag', values: ${JSON.stringify(axeTags)} } }).then(({ violations }) =>
  violations.map(({ id, impact, help, nodes }) => ({
    id, impact, help,
    nodes: nodes.map(({ target, failureSummary }) => ({
      target: target.join(' '),
      summary: (failureSummary ?? '').replace(/\\s+/g, ' '),
    })),
  })))`;
