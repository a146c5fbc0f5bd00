import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Appliance, type Endpoints, type ReaderInService, Rest, readerInService } from './appliance.ts';
import { openSse, type SseClient } from './http-sse.ts';
import { Publisher } from './publisher.ts';
import { until } from './wait.ts';

/** An answer as a client sees it. */
export interface Reply {
  readonly status: number;
  /** Without parameters: `application/json`. Empty when there is no body. */
  readonly type: string;
  // The walks look into bodies of every shape and assert on what they find.
  // biome-ignore lint/suspicious/noExplicitAny: the parsed JSON of any answer; other bodies as text
  readonly body: any;
  readonly headers: Headers;
}

export type As = 'key' | 'admin' | 'nobody';

/** What a licence token says beyond its defaults. */
export type Claims = Readonly<Record<string, unknown>>;

const ALERTS_NEEDED = 3;
const MANAGER = 'manager@example.org';

/** A real appliance with a licence key of its own, and short ways to what the rows of the contract need. */
export class ContractRig {
  readonly appliance: Appliance;
  readonly #vendor = generateKeyPairSync('ed25519');
  #endpoints: Endpoints | null = null;
  #key = '';
  #cookie: Promise<string> | null = null;
  #shared: Promise<ReaderInService> | null = null;
  #gone: Promise<string[]> | null = null;
  #count = 0;

  constructor() {
    const publicKey = this.#vendor.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    this.appliance = new Appliance({
      env: {
        TAGKEEP_LICENCE__PUBLIC_KEY: publicKey,
        TAGKEEP_ALERTS__READER_OFFLINE_SECONDS: '1',
        TAGKEEP_LOG__LEVEL: 'warn',
      },
    });
  }

  async start(): Promise<void> {
    this.#endpoints = await this.appliance.start();
    this.#key = await this.appliance.key();
  }

  get endpoints(): Endpoints {
    if (!this.#endpoints) throw new Error('the rig was not started');
    return this.#endpoints;
  }

  get rest(): Rest {
    return new Rest(this.endpoints, this.#key);
  }

  /** One request; `body`: FormData as it is, anything else as JSON. */
  async call(method: string, path: string, more: { body?: unknown; as?: As } = {}): Promise<Reply> {
    const { body, as = 'key' } = more;
    const isForm = body instanceof FormData;
    const type: Record<string, string> =
      body === undefined || isForm ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${this.endpoints.http}/api/v1${path}`, {
      method,
      headers: { ...(await this.#credentials(as)), ...type },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    return replyOf(response);
  }

  /** What a request that must succeed answers. */
  async ok(method: string, path: string, body?: unknown): Promise<Reply['body']> {
    const reply = await this.call(method, path, { body });
    if (reply.status >= 300)
      throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  /** POST /tags/import of a CSV text. */
  upload(csv: string | Blob, query = ''): Promise<Reply> {
    const form = new FormData();
    form.append('file', typeof csv === 'string' ? new Blob([csv], { type: 'text/csv' }) : csv, 'tags.csv');
    return this.call('POST', `/tags/import${query}`, { body: form });
  }

  /** A name, number or serial nobody had yet. */
  fresh(stem: string): string {
    return `${stem}-${++this.#count}`;
  }

  epc(): string {
    return `E2801160${(++this.#count).toString(16).toUpperCase().padStart(16, '0')}`;
  }

  async zone(): Promise<string> {
    return (await this.ok('POST', '/zones', { name: this.fresh('Zone') })).id;
  }

  async asset(more: object = {}): Promise<string> {
    const asset = { name: this.fresh('Asset'), assetTagNumber: this.fresh('A') };
    return (await this.ok('POST', '/assets', { ...asset, ...more })).id;
  }

  async field(): Promise<string> {
    return (await this.ok('POST', '/fields', { label: this.fresh('Field') })).key;
  }

  /** A device at the bench: its serial and claim code. */
  async provisioned(): Promise<{ readonly serial: string; readonly code: string }> {
    const serial = this.fresh('370-10');
    const out = join(this.appliance.root, serial);
    const made = await this.appliance.cliJson<{ claimCode: string }>(
      ...['reader', 'provision', serial, '--out', out, '--key-type', 'ecdsa'],
    );
    return { serial, code: made.claimCode };
  }

  reader(zones: Readonly<Record<number, string>> = {}): Promise<ReaderInService> {
    return readerInService(this.appliance, this.rest, { serial: this.fresh('370-20'), zones });
  }

  publisher({ serial, dir }: ReaderInService): Promise<Publisher> {
    return Publisher.connect({ url: this.endpoints.mqtts, serial, identity: dir });
  }

  stream(): Promise<SseClient> {
    return openSse(`${this.endpoints.http}/api/v1/events/stream`, { headers: this.rest.headers });
  }

  /** A reader for all who leave it as it is. */
  sharedReader(): Promise<ReaderInService> {
    this.#shared ??= this.reader();
    return this.#shared;
  }

  /** An open alert nobody else was given: a reader that was there and has gone. */
  async alert(): Promise<string> {
    // All at once: each takes its time to be noticed.
    this.#gone ??= Promise.all(Array.from({ length: ALERTS_NEEDED }, () => this.#goneReader()));
    const readerId = (await this.#gone).pop();
    if (!readerId) throw new Error(`there are ${ALERTS_NEEDED} alerts only`);
    return until('the alert of a reader that has gone', async () => {
      const alerts = await this.ok('GET', '/alerts?state=open');
      return alerts.find((one: { subjectId: string }) => one.subjectId === readerId)?.id;
    });
  }

  async #goneReader(): Promise<string> {
    const reader = await this.reader();
    await (await this.publisher(reader)).close();
    return reader.readerId;
  }

  /** Installs a licence with these claims, as the vendor signs them. */
  async licence(claims: Claims = {}): Promise<void> {
    const file = join(this.appliance.root, 'licence.jwt');
    writeFileSync(file, this.token(claims));
    const { code, stderr } = await this.appliance.cli('licence', 'install', file);
    if (code !== 0) throw new Error(`tagkeep licence install: ${stderr}`);
  }

  token(claims: Claims): string {
    const plan = { customer: 'Walk', edition: 'walk', features: ['api_access'], maxReaders: 0, maxSites: 0 };
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'EdDSA' })}.${part({ ...plan, ...claims })}`;
    return `${text}.${sign(null, Buffer.from(text), this.#vendor.privateKey).toString('base64url')}`;
  }

  dispose(): Promise<void> {
    return this.appliance.dispose();
  }

  async #credentials(as: As): Promise<Record<string, string>> {
    if (as === 'nobody') return {};
    if (as === 'key') return { authorization: `Bearer ${this.#key}` };
    this.#cookie ??= this.#login();
    return { cookie: await this.#cookie };
  }

  async #login(): Promise<string> {
    const { password } = await this.appliance.cliJson<{ password: string }>(
      ...['user', 'add', MANAGER, '--role', 'admin'],
    );
    const reply = await this.call('POST', '/auth/login', {
      body: { email: MANAGER, password },
      as: 'nobody',
    });
    const cookie = reply.headers.getSetCookie()[0]?.split(';')[0];
    if (reply.status !== 200 || !cookie) throw new Error(`POST /auth/login: ${reply.status}`);
    return cookie;
  }
}

async function replyOf(response: Response): Promise<Reply> {
  const { status, headers } = response;
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  if (type === 'text/event-stream') {
    await response.body?.cancel();
    return { status, type, headers, body: null };
  }
  const text = await response.text();
  return { status, type, headers, body: type.endsWith('json') ? JSON.parse(text) : text };
}

/** An id nobody has. */
export const nobodysId = (): string => randomUUID();
