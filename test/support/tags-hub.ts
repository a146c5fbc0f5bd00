import type { Browser, Page } from 'playwright-core';
import { Appliance, type Endpoints } from './appliance.ts';
import { type HubPage, openBrowser, openHub } from './browser.ts';
import { makeVendor, type Vendor } from './licence-token.ts';

/** Text that must be shown as it is. */
export const naughty = '<img src=x onerror="document.title=1"> \u202Eabc {{7*7}} 😀';

/** EPCs that sort as their numbers do. */
export const epcNo = (no: number): string => `3034257BF468D480${String(no).padStart(8, '0')}`;

/** A cell of the table of tags; row -1 is the headings'. */
export const cell = (page: Page, row: number, col: number) =>
  page.locator(`[data-row="${row}"][data-col="${col}"]`);

/** An appliance with tags called "Pallet 0" and so on, with a weight each, and a browser at its table. */
export class TagsHub {
  readonly vendor: Vendor = makeVendor();
  readonly #appliance = new Appliance({ env: { TAGKEEP_LICENCE__PUBLIC_KEY: this.vendor.publicPem } });
  readonly #user = { email: 'lead@example.org', password: '' };
  #endpoints: Endpoints | undefined;
  #browser: Browser | undefined;
  #key = '';

  get origin(): string {
    return this.#endpoints?.http ?? '';
  }

  async start(rows: number): Promise<void> {
    this.#endpoints = await this.#appliance.start();
    const added = ['user', 'add', this.#user.email, '--role', 'admin'];
    this.#user.password = (await this.#appliance.cliJson<{ password: string }>(...added)).password;
    this.#key = await this.#appliance.key();
    const lines = Array.from({ length: rows }, (_, no) => `${epcNo(no)},Pallet ${no},${no}`);
    const form = new FormData();
    form.append('file', new Blob([`epc,Name,Weight\n${lines.join('\n')}\n`]), 'tags.csv');
    await this.api('POST', '/tags/import', form);
    await this.api('PATCH', '/fields/name', '{"isLabel":true}');
    this.#browser = await openBrowser();
  }

  async dispose(): Promise<void> {
    await this.#browser?.close();
    await this.#appliance.dispose();
  }

  open(path: string, colorScheme: 'light' | 'dark' = 'light'): Promise<HubPage> {
    if (!this.#browser) throw new Error('not started');
    const user = this.#user;
    return openHub(this.#browser, this.origin, { user, path, colorScheme, reducedMotion: 'reduce' });
  }

  async api<T>(method: string, path: string, body?: string | FormData): Promise<T> {
    const json = typeof body === 'string' && { 'Content-Type': 'application/json' };
    const headers = { Authorization: `Bearer ${this.#key}`, ...json };
    const answer = await fetch(`${this.origin}/api/v1${path}`, { method, headers, ...(body && { body }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json() as Promise<T>; // what the contract says
  }

  async attributes(epc: string): Promise<Record<string, unknown>> {
    return (await this.api<{ attributes: Record<string, unknown> }>('GET', `/tags/${epc}/data`)).attributes;
  }
}
