import { rmSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inFolder, readHubFiles } from '../../src/http/hub-files.ts';
import { hubPages } from '../../src/http/hub-pages.ts';
import { type AccountHouse, openAccountHouse, password } from '../support/account-house.ts';
import { checkAxe, openBrowser, openHub } from '../support/browser.ts';
import { stubHub } from '../support/stub-hub.ts';
import { until } from '../support/wait.ts';

const script = `
const root = document.getElementById('root');
const heading = document.createElement('h1');
heading.textContent = 'Made by script';
root.append(heading);
const style = document.createElement('style');
style.nonce = document.querySelector('meta[name=csp-nonce]').content;
style.textContent = 'h1 { letter-spacing: 3px; }';
document.head.append(style);
const me = await fetch('/api/v1/auth/me');
const who = document.createElement('p');
who.textContent = me.ok ? 'You are ' + (await me.json()).email : 'Nobody: ' + me.status;
root.append(who);
`;

let folder = '';
let house: AccountHouse;
let browser: Browser;

beforeAll(async () => {
  folder = await stubHub({
    'assets/main-Ab12Cd34.js': script,
    'assets/main-Cd34Ef56.css': 'h1 { color: rgb(0, 60, 0); }',
  });
  const hub = hubPages(readHubFiles(inFolder(folder)));
  house = await openAccountHouse({ http: () => ({ hub }) });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await house.close();
  rmSync(folder, { recursive: true });
});

describe('a real browser', () => {
  test('runs scripts and styles of the hub, and styles made in the page with its nonce', async () => {
    const hub = await openHub(browser, house.server.origin, { path: '/tags/30' });
    await hub.page.getByRole('heading', { name: 'Made by script' }).waitFor();
    const style = "getComputedStyle(document.querySelector('h1'))";
    const look = await hub.page.evaluate(`[${style}.color, ${style}.letterSpacing]`);
    expect(look).toEqual(['rgb(0, 60, 0)', '3px']);
    expect(await checkAxe(hub.page)).toEqual([]);
    await hub.page.getByText('Nobody: 401').waitFor();
    expect(hub.complaints).toEqual([]);
    await hub.close();
  });

  test('is logged in as the test says, by a cookie that scripts cannot read', async () => {
    const { orgId } = await house.tenant('a');
    const { email } = await house.user(orgId);
    const hub = await openHub(browser, house.server.origin, { user: { email, password } });
    await hub.page.getByText(`You are ${email}`).waitFor();
    expect(await hub.page.evaluate('document.cookie')).toBe('');
    expect(hub.complaints).toEqual([]);
    await hub.close();
  });

  test('runs nothing else, and the test is told', async () => {
    const hub = await openHub(browser, house.server.origin);
    await hub.page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.body.append(script);
      fetch('http://127.0.0.1:9/').catch(() => {});
    `);
    await until('two violations', () => hub.complaints.filter((one) => one.includes('policy: ')).length >= 2);
    expect(await hub.page.evaluate('window.ran')).toBe(undefined);
    expect(hub.complaints.join('\n')).toMatch(/policy: script-src-elem forbids inline/);
    expect(hub.complaints.join('\n')).toMatch(/policy: connect-src forbids http:\/\/127\.0\.0\.1:9\//);
    await hub.close();
  });

  test('is heard when the page fails, and when it cannot be used by everybody', async () => {
    const hub = await openHub(browser, house.server.origin);
    await hub.page.evaluate(`
      setTimeout(() => { throw new Error('out of order'); });
      console.warn('be careful');
      const grey = document.createElement('p');
      grey.style.color = '#bbb';
      grey.textContent = 'hard to read';
      document.querySelector('main').append(grey);
    `);
    for (const said of [/^uncaught: .*out of order/, /^warning: be careful/])
      await until(String(said), () => hub.complaints.some((one) => said.test(one)));
    expect((await checkAxe(hub.page)).join('\n')).toMatch(/^serious color-contrast: .*: p\S*: Fix /);
    await hub.close();
  });
});
