import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  Appliance,
  type Endpoints,
  type ReaderInService,
  Rest,
  readerInService,
} from '../support/appliance.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';

const run = promisify(execFile);
const vendor = mkdtempSync(join(tmpdir(), 'tagkeep-vendor-'));

let appliance: Appliance;
let endpoints: Endpoints;
let rest: Rest;
let dock: ReaderInService;

interface Shown {
  readonly license: { readonly state: string; readonly readOnly: boolean; readonly edition: string };
  readonly usage: { readonly readers: number; readonly sites: number };
}

async function signLicence(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['scripts/sign-licence.mjs', ...args]);
  return stdout;
}

/** A token of Acme's in a file. */
async function licenceFile(name: string, ...args: readonly string[]): Promise<string> {
  const file = join(vendor, name);
  const token = await signLicence('--key', join(vendor, 'licence-key.pem'), '--customer', 'Acme', ...args);
  writeFileSync(file, token);
  return file;
}

const show = () => rest.get<Shown>('/license');

beforeAll(async () => {
  const publicKey = await signLicence('--new-key', vendor);
  appliance = new Appliance({ env: { TAGKEEP_LICENCE__PUBLIC_KEY: publicKey.replaceAll('\n', '\\n') } });
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
  const { id } = await rest.ok<{ id: string }>('POST', '/zones', { name: 'Dock', kind: 'portal' });
  dock = await readerInService(appliance, rest, { serial: '370-10-15-0036', zones: { 1: id } });
});

afterAll(async () => {
  await appliance?.dispose();
  rmSync(vendor, { recursive: true, force: true });
});

test('keys that sign licences are for their owner alone and never written over', async () => {
  for (const name of ['licence-key.pem', 'licence-key.pub.pem'])
    expect(statSync(join(vendor, name)).mode & 0o777).toBe(0o600);
  await expect(signLicence('--new-key', vendor)).rejects.toMatchObject({ code: 1 });
  await expect(signLicence('--customer', 'Acme')).rejects.toMatchObject({ code: 2 });
});

test('without a token the built-in edition is licensed without an end', async () => {
  expect(await show()).toMatchObject({
    license: { state: 'licensed', edition: 'on-premises', readOnly: false, daysLeft: 36_500 },
    usage: { readers: 1, sites: 1 },
  });
});

describe('an expired licence, installed while the appliance runs', () => {
  beforeAll(async () => {
    const file = await licenceFile('expired', '--edition', 'trial', '--expires=-1d');
    const { code, stdout } = await appliance.cli('licence', 'install', file);
    expect([code, stdout]).toEqual([0, expect.stringContaining('expired, read-only')]);
  });

  test('is in force at once, and "licence show" says what the interface says', async () => {
    const answer = await show();
    expect(answer).toMatchObject({ license: { state: 'expired', edition: 'trial', readOnly: true } });
    expect(await appliance.cliJson('licence', 'show')).toEqual(answer);
  });

  test('refuses writes with 402 while reads from readers flow in and can be read', async () => {
    const reader = await Publisher.connect({
      ...{ url: endpoints.mqtts, serial: dock.serial, identity: dock.dir },
    });
    const epcs = ['3034257BF7194E4000001A85', '3034257BF7194E4000001A86'];
    for (const epc of epcs) await reader.publish({ payload: plainRead(epc) });
    await reader.close();
    const tags = await until('the tags', async () => {
      const found = await rest.get<readonly { epc: string; zoneName: string }[]>('/tags');
      return found.length === epcs.length && found;
    });
    expect(tags.map(({ epc, zoneName }) => [epc, zoneName]).sort()).toEqual(epcs.map((epc) => [epc, 'Dock']));
    expect(await rest.send('POST', '/zones', { name: 'Shelf' })).toMatchObject({
      status: 402,
      body: { type: '/problems/read-only', detail: expect.stringContaining('The licence ended at') },
    });
    expect((await rest.send('DELETE', `/readers/${dock.readerId}`)).status).toBe(402);
    expect(await rest.get('/readers')).toHaveLength(1);
  });

  test('stays in force over a restart', async () => {
    expect(await appliance.stop()).toBe(0);
    endpoints = await appliance.start();
    rest = new Rest(endpoints, await appliance.key());
    expect((await show()).license.state).toBe('expired');
  });

  test('is not replaced by a token that does not verify: one line, exit code 1', async () => {
    const good = readFileSync(await licenceFile('good'), 'utf8');
    const bad = join(vendor, 'bad');
    writeFileSync(bad, good.replace(/^eyJ/, 'eyK'));
    const absent = join(vendor, 'absent');
    for (const file of [bad, absent, vendor, 'package-lock.json']) {
      const { code, stdout, stderr } = await appliance.cli('licence', 'install', file);
      expect([file, code, stdout, stderr.trim().split('\n').length]).toEqual([file, 1, '', 1]);
    }
    expect((await show()).license.state).toBe('expired');
  });
});

describe('a valid licence for one reader and two sites', () => {
  beforeAll(async () => {
    const file = await licenceFile('valid', '--max-readers', '1', '--max-sites', '2', '--expires', '14d');
    expect((await appliance.cli('licence', 'install', file)).code).toBe(0);
  });

  test('ends being read-only', async () => {
    expect((await show()).license).toMatchObject({ state: 'licensed', readOnly: false, daysLeft: 14 });
    expect((await rest.send('POST', '/zones', { name: 'Shelf' })).status).toBe(201);
  });

  test('refuses to claim a second reader: 402', async () => {
    const args = ['reader', 'provision', 'R-2', '--out', join(appliance.root, 'R-2'), '--key-type', 'ecdsa'];
    const { claimCode } = await appliance.cliJson<{ claimCode: string }>(...args);
    const claim = await rest.send('POST', '/devices/claim', { code: claimCode, readerName: 'Second' });
    expect(claim).toMatchObject({ status: 402, body: { type: '/problems/licence-limit' } });
  });

  test('makes no site in a time zone that is none: bad usage, in one line', async () => {
    const { code, stderr } = await appliance.cli('site', 'add', 'North', '--time-zone', '+02:00');
    const reason = '--time-zone is an IANA time zone such as Europe/Berlin, not "+02:00"';
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });

  test('allows a second site and not a third, which is refused in one line', async () => {
    const north = await appliance.cliJson('site', 'add', 'North', '--time-zone', 'America/Chicago');
    expect(north).toMatchObject({ name: 'North', timeZone: 'America/Chicago' });
    expect((await show()).usage.sites).toBe(2);
    const again = await appliance.cli('site', 'add', 'North');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('has a site "North" already')]);
    const third = await appliance.cli('site', 'add', 'South');
    expect([third.code, third.stderr]).toEqual([
      1,
      'tagkeep: The licence allows 2 sites, and there are 2.\n',
    ]);
    const sites = await appliance.cliJson<readonly object[]>('site', 'list');
    expect(sites).toMatchObject([
      { name: 'Main site', timeZone: expect.stringMatching(/^[A-Z]/), zones: 2 },
      { name: 'North', timeZone: 'America/Chicago', zones: 0 },
    ]);
  });
});

describe('a second organisation', () => {
  test('is made with a site, a licence and keys of its own, seen at once by the appliance that runs', async () => {
    const made = await appliance.cliJson<{ id: string }>('org', 'add', '  Second  ');
    expect(await appliance.cliJson('org', 'list')).toMatchObject([
      { name: 'My organisation', sites: 2, readers: 1 },
      { id: made.id, name: 'Second', sites: 1, readers: 0 },
    ]);
    const { key } = await appliance.cliJson<{ key: string }>('key', 'create', 'test', '--org', 'Second');
    const theirs = new Rest(endpoints, key);
    expect(await theirs.get('/license')).toMatchObject({ license: { edition: 'on-premises' } });
    expect((await theirs.send('POST', '/zones', { name: 'Dock' })).status).toBe(201);
    expect(await theirs.get('/readers')).toEqual([]);
  });

  test.each([
    ['Second', 'there is an organisation "Second" already', 1],
    [' ', 'the name of the organisation has 1 to 255 characters', 2],
    ['x'.repeat(256), '1 to 255 characters', 2],
  ])('called %j is refused in one line', async (name, why, exitCode) => {
    const { code, stderr } = await appliance.cli('org', 'add', name);
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(why)]);
  });
});
