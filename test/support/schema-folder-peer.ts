// Makes the packed data folder of the newest schema, by the real appliance: `node schema-folder-peer.mjs DIR`.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newestSchema } from '../../src/store/migrate.ts';
import { copyStore, tableCounts } from '../../src/store/snapshot.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { Appliance, type ReaderInService, Rest, readerInService } from './appliance.ts';
import { claims, makeVendor, tokenOf } from './licence-token.ts';
import { Publisher, plainRead } from './publisher.ts';
import {
  type Answers,
  answersOf,
  EPCS,
  LASTING,
  logIn,
  type PackedFolder,
  unpackInto,
} from './schema-answers.ts';
import { until } from './wait.ts';

const vendor = makeVendor();
// Of the tests: nobody else has the other half, and it is gone with this process.
const env = { ...LASTING, TAGKEEP_LICENCE__PUBLIC_KEY: vendor.publicPem };
const [epc = '', moved = '', plain = ''] = EPCS;

/** Where nobody listens. */
const NOWHERE = 'http://127.0.0.1:9/hooks';

interface Work {
  readonly appliance: Appliance;
  readonly rest: Rest;
  /** With an administrator's session. */
  readonly admin: (method: string, path: string, body: object) => Promise<void>;
}

async function work(): Promise<string> {
  const appliance = new Appliance({ env: { ...env, TAGKEEP_ALERTS__READER_OFFLINE_SECONDS: '1' } });
  try {
    const { http } = await appliance.start();
    const cookie = await logIn(appliance, 'manager@example.org');
    const admin: Work['admin'] = async (method, path, body) => {
      const headers = { cookie, 'content-type': 'application/json' };
      const response = await fetch(`${http}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
      if (response.status >= 300) throw new Error(`${method} ${path}: ${await response.text()}`);
    };
    const rest = new Rest(appliance.endpoints(), await appliance.key());
    await fill({ appliance, rest, admin });
    // What is in the journal, and what deleted fields left, is there only while nobody tidies up.
    await appliance.stop('SIGKILL');
    return await packed(appliance);
  } finally {
    await appliance.dispose();
  }
}

async function fill({ appliance, rest, admin }: Work): Promise<void> {
  await admin('PUT', '/license', { token: tokenOf(vendor, { ...claims, maxReaders: 9 }) });
  await admin('POST', '/users', {
    email: 'operator@example.org',
    role: 'operator',
    password: 'test only, no secret',
  });
  await admin('POST', '/webhooks', { url: NOWHERE, types: ['tag_moved', 'asset_created', 'asset_updated'] });
  const zone = async (name: string, kind: string): Promise<string> =>
    (await rest.ok<{ id: string }>('POST', '/zones', { name, kind })).id;
  const zones = { 1: await zone('Dock', 'portal'), 2: await zone('Hall ÄÖ', 'storage') };
  const reader = await readerInService(appliance, rest, { serial: '370-10-15-0036', zones });
  await appliance.cliJson('reader', 'provision', '370-10-15-0037', '--out', join(appliance.root, 'spare'));
  // Two commands; one that is stopped would raise no alert.
  for (const enabled of [false, true]) await rest.ok('PATCH', `/readers/${reader.readerId}`, { enabled });
  await readSome(appliance, reader);
  await describe(rest);
  await until('the alert', async () => (await rest.get<readonly object[]>('/alerts')).length > 0);
  await until('an attempt', () =>
    inStore(appliance.dataDir, (store) => store.count(tables.webhookAttempts) > 0),
  );
  await rest.ok('DELETE', '/fields/gone');
}

/** One tag that stays, one that moves, and one that is read last of all: it is in the journal alone. */
async function readSome(appliance: Appliance, { serial, dir }: ReaderInService): Promise<void> {
  const publisher = await Publisher.connect({ url: appliance.endpoints().mqtts, serial, identity: dir });
  const at = Date.now() - 60_000;
  await publisher.publish({ payload: plainRead(epc, { port: 1, at }) });
  await publisher.publish({ payload: plainRead(moved, { port: 1, at }) });
  await publisher.publish({ payload: plainRead(moved, { port: 2, at: at + 30_000 }) });
  await until('a checkpoint', () => inStore(appliance.dataDir, (store) => store.count(tables.visits) > 0));
  await publisher.publish({ payload: plainRead(plain, { port: 2, at: at + 50_000 }) });
  await publisher.close();
}

/** What people say of tags and assets, and had said. */
async function describe(rest: Rest): Promise<void> {
  await rest.ok('PUT', `/tags/${epc}/data`, { Name: 'Pallet 17', weight: '412.5', gone: 'soon' });
  await rest.ok('PUT', `/tags/${epc}/data`, { weight: '400', note: 'Ä "quoted" \u{1f4e6}' });
  const asset = async (body: object): Promise<string> =>
    (await rest.ok<{ id: string }>('POST', '/assets', body)).id;
  const cart = await asset({ name: 'Cart', assetTagNumber: 'C-1', category: 'Carts', epc: moved });
  await rest.ok('POST', `/assets/${cart}/check-out`, { custodian: 'Ada' });
  const old = await asset({ name: 'Old cart', assetTagNumber: 'C-0' });
  await rest.ok('POST', `/assets/${old}/retire`);
}

async function packed({ dataDir, root }: Appliance): Promise<string> {
  await inStore(dataDir, addRare);
  const staging = join(root, 'packed');
  mkdirSync(join(staging, 'db'), { recursive: true });
  await copyStore(dataDir, staging);
  const file = join(root, 'packed.tar.gz');
  // The same bytes of the same content, whoever packs it.
  const same = ['--owner=0', '--group=0', '--numeric-owner', '--mode=0600'];
  execFileSync('tar', ['-czf', file, ...same, '-C', staging, 'db/tagkeep.mdb']);
  const counts = await inStore(staging, tableCounts);
  const empty = Object.keys(counts).filter((name) => counts[name] === 0);
  if (empty.length > 0) throw new Error(`nothing in ${empty.join(', ')}`);
  return place(file, counts);
}

/** What takes days to come by itself. */
async function addRare(store: Store): Promise<void> {
  const [webhook] = store.range(tables.webhooks);
  const at = Date.now();
  await store.write((tx) => {
    tx.put(tables.webhookDead, [webhook?.value.id ?? '', 0], {
      ...{ id: randomUUID(), type: 'asset_created', subject: 'none', at, data: {}, attempts: 40 },
      ...{ nextAt: at, diedAt: at, error: 'given up after three days' },
    });
    // Swept within a second where there is something to sweep.
    if (tx.count(tables.deletedFields) === 0) tx.put(tables.deletedFields, 9999, { orgNo: 1, nextTagNo: 0 });
  });
}

/** What two starts on copies both answer is what every later version has to: neither asking nor time has changed it. */
async function place(file: string, counts: Readonly<Record<string, number>>): Promise<string> {
  const [one, other] = [await askCopy(file, 'one@example.org'), await askCopy(file, 'other@example.org')];
  const answers = Object.entries(one).map(([path, list]) => {
    const twice = new Set(other[path]?.map((item) => JSON.stringify(item)));
    return [path, list.filter((item) => twice.has(JSON.stringify(item)))] as const;
  });
  const about: PackedFolder = {
    ...{ schema: newestSchema, env, tables: counts },
    answers: Object.fromEntries(answers.filter(([, list]) => list.length > 0)),
  };
  const name = join(out, `schema-${newestSchema}`);
  mkdirSync(out, { recursive: true });
  copyFileSync(file, `${name}.tar.gz`);
  writeFileSync(`${name}.json`, `${JSON.stringify(about, null, 2)}\n`);
  return `${name}.tar.gz`;
}

/** As the test asks: another appliance, with another authority. */
async function askCopy(file: string, email: string): Promise<Answers> {
  const appliance = new Appliance({ env });
  try {
    unpackInto(appliance.dataDir, file);
    return await answersOf(await appliance.start(), await logIn(appliance, email));
  } finally {
    await appliance.dispose();
  }
}

async function inStore<T>(dir: string, look: (store: Store) => T | Promise<T>): Promise<T> {
  const store = openStore(dir);
  return Promise.resolve(look(store)).finally(() => store.close());
}

const out = process.argv[2] ?? '';
process.stdout.write(`${await work()}\n`);
