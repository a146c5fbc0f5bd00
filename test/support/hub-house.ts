import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ProvisionedDevice } from '../../src/contract/device.ts';
import { sessionCookie } from '../../src/http/access.ts';
import { Appliance, type Endpoints, type ReaderInService, Rest } from './appliance.ts';
import {
  checkAxe,
  type HubPage,
  type Login,
  logIn,
  openBrowser,
  openHub,
  type PageOptions,
} from './browser.ts';
import { claims, makeVendor, tokenOf, type Vendor } from './licence-token.ts';
import { Publisher } from './publisher.ts';
import { until } from './wait.ts';

export interface HubHouseOptions {
  /** What `user` may do. */
  readonly role?: 'admin' | 'operator';
  /** What follows `serve`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Who looks at a page, and with what. */
export interface Look extends Omit<PageOptions, 'user' | 'session' | 'path'> {
  /** The house's own user when nothing is said, nobody when null. */
  readonly user?: Login | null;
}

export interface HousePage extends HubPage {
  /** Closes the page. It had nothing to complain of but what this matches. */
  leave(except?: RegExp): Promise<void>;
}

/** A phone at night. */
export const phone = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;

const PASSWORD = 'correct horse battery';
// A browser starts beside it, and stand-in readers within it.
const START_MS = 60_000;

/** The appliance with a user, and a browser at its hub. What tests begin with comes over REST: a command takes a program's start. */
export class HubHouse {
  readonly appliance: Appliance;
  readonly user: Login = { email: 'lead@example.org', password: PASSWORD };
  /** Whose licences the appliance believes. */
  readonly vendor: Vendor = makeVendor();
  readonly #options: HubHouseOptions;
  readonly #sessions = new Map<string, Promise<string>>();
  #endpoints: Endpoints | undefined;
  #browser: Promise<Browser> | undefined;
  #admin: Rest | undefined;
  #rest: Rest | undefined;

  constructor(options: HubHouseOptions = {}) {
    this.#options = options;
    const env = { TAGKEEP_LICENCE__PUBLIC_KEY: this.vendor.publicPem, ...options.env };
    this.appliance = new Appliance({ env, startMs: START_MS });
  }

  get endpoints(): Endpoints {
    return started(this.#endpoints);
  }

  get origin(): string {
    return this.endpoints.http;
  }

  /** As a key. */
  get rest(): Rest {
    return started(this.#rest);
  }

  /** As the admin whom the first start made. */
  get admin(): Rest {
    return started(this.#admin);
  }

  async start(): Promise<void> {
    await this.startUntouched();
    const first = { email: 'admin@tagkeep.local', password: await this.firstPassword() };
    this.#admin = new SessionRest(this.endpoints, await logIn(this.origin, first));
    await this.addUser(this.user.email, this.#options.role ?? 'admin');
    const { key } = await this.admin.ok<{ key: string }>('POST', '/api-keys', { name: 'test' });
    this.#rest = new Rest(this.endpoints, key);
  }

  /** As it is before the first run: nobody has logged in, there are no users and no key. */
  async startUntouched(): Promise<void> {
    this.#browser = openBrowser();
    const [endpoints] = await Promise.all([this.appliance.start(this.#options.args), this.#browser]);
    this.#endpoints = endpoints;
  }

  /** Starts it again where it was, after `appliance.stop`. */
  async restart(): Promise<void> {
    this.appliance.env.TAGKEEP_HTTP__PORT = new URL(this.origin).port;
    this.#endpoints = await this.appliance.start(this.#options.args);
  }

  async dispose(): Promise<void> {
    const browser = await this.#browser?.catch(() => undefined);
    await browser?.close();
    await this.appliance.dispose();
  }

  /** What the first start printed for its admin. */
  firstPassword(): Promise<string> {
    const printed = /admin@tagkeep\.local\D*?password[:\s]+(\S+)/is;
    return until('the first password', () => printed.exec(this.appliance.output)?.[1]);
  }

  async addUser(email: string, role: 'admin' | 'operator'): Promise<Login> {
    const login = { email, password: PASSWORD };
    await this.admin.ok('POST', '/users', { ...login, role });
    return login;
  }

  /** Opens a page of the hub on which nothing moves unless asked for. All pages of a user are of one session. */
  async open(path: string, { user = this.user, ...look }: Look = {}): Promise<HousePage> {
    const session = user === null ? undefined : await this.#sessionOf(user);
    const quiet = { reducedMotion: 'reduce', ...look } as const;
    const options = { ...quiet, path, ...(session !== undefined && { session }) };
    const hub = await openHub(await started(this.#browser), this.origin, options);
    const leave = async (except?: RegExp): Promise<void> => {
      expect(hub.complaints.filter((one) => !except?.test(one))).toEqual([]);
      await hub.close();
    };
    return { ...hub, leave };
  }

  async zone(name: string, kind: string = 'storage'): Promise<string> {
    return (await this.rest.ok<{ id: string }>('POST', '/zones', { name, kind })).id;
  }

  /** Bench to service: identity, claim, and each given port mapped to its zone. */
  async reader(serial: string, zones: Readonly<Record<number, string>> = {}): Promise<ReaderInService> {
    const wanted = { serial, claim: true, name: `Reader ${serial}` };
    const { readerId, files } = await this.admin.ok<ProvisionedDevice>('POST', '/devices', wanted);
    const dir = join(this.appliance.root, serial);
    mkdirSync(dir);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text, { mode: 0o600 });
    const antennas = Object.entries(zones).map(([port, zoneId]) => ({ port: Number(port), zoneId }));
    if (antennas.length > 0) await this.rest.ok('PUT', `/readers/${readerId}/antennas`, antennas);
    return { serial, readerId: readerId ?? '', dir };
  }

  connect({ serial, dir }: ReaderInService): Promise<Publisher> {
    return Publisher.connect({ url: this.endpoints.mqtts, serial, identity: dir });
  }

  /** A licence that has expired. */
  expiredLicence(): string {
    return tokenOf(this.vendor, { ...claims, expiresAt: '2020-01-01T00:00:00.000Z' });
  }

  #sessionOf(user: Login): Promise<string> {
    const known = this.#sessions.get(user.email) ?? logIn(this.origin, user);
    this.#sessions.set(user.email, known);
    return known;
  }
}

class SessionRest extends Rest {
  readonly #token: string;

  constructor(endpoints: Endpoints, token: string) {
    super(endpoints, '');
    this.#token = token;
  }

  override get headers(): Record<string, string> {
    return { Cookie: `${sessionCookie}=${this.#token}` };
  }
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the house is not started');
  return part;
}

/** How far a page reaches beyond its right edge, px. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth');
}

/** What a phone's page has wrong, a line each: what is beyond its edge, and what axe-core says. */
export async function checkNarrow(page: Page): Promise<readonly string[]> {
  const beyond = await overflow(page);
  return [...(beyond > 0 ? [`${beyond} px are beyond the edge`] : []), ...(await checkAxe(page))];
}
