import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Appliance, type ReaderInService, Rest, readerInService } from '../support/appliance.ts';
import { refusalOf, tagkeep } from '../support/command.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';

const run = promisify(execFile);
const SERIAL = '370-10-15-0036';
const PASSPHRASE = 'correct horse battery';
const CHUNK = 200;

interface Verified {
  readonly tables: Readonly<Record<string, number>>;
}

const epcOf = (no: number): string => `3034${no.toString(16).toUpperCase().padStart(20, '0')}`;

let old: Appliance;
let rest: Rest;
let key: string;
let reader: ReaderInService;
let backup: string;
let passphraseFile: string;
/** Tags whose reads were acknowledged before the backup began. */
let before = 0;

async function publish(publisher: Publisher, from: number): Promise<void> {
  const reads = Array.from({ length: CHUNK }, (_, at) =>
    publisher.publish({ payload: plainRead(epcOf(from + at)) }),
  );
  await Promise.all(reads);
}

const total = async (from: Rest): Promise<number> => {
  const zones = await from.get<readonly { readonly total: number }[]>('/inventory/summary');
  return zones.reduce((sum, zone) => sum + zone.total, 0);
};

beforeAll(async () => {
  old = new Appliance();
  passphraseFile = join(old.root, 'passphrase');
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
  backup = join(old.root, 'box.tkb');
  const endpoints = await old.start();
  key = await old.key();
  rest = new Rest(endpoints, key);
  const { id } = await rest.ok<{ id: string }>('POST', '/zones', { name: 'Dock' });
  reader = await readerInService(old, rest, { serial: SERIAL, zones: { 1: id } });
  await rest.ok('POST', '/assets', { name: 'Pallet truck', assetTagNumber: 'A-1' });
  await rest.ok('PATCH', `/readers/${reader.readerId}`, { enabled: false });
}, 60_000);
afterAll(() => old.dispose());

const restore = (to: Appliance, file = backup) =>
  to.cli('restore', file, '--passphrase-file', passphraseFile);

describe('a backup made while reads flow in', () => {
  test('is made beside the serving process, and every read goes on being acknowledged', async () => {
    const publisher = await Publisher.connect({
      url: old.endpoints().mqtts,
      serial: SERIAL,
      identity: reader.dir,
    });
    await publish(publisher, 0);
    before = CHUNK;
    const backingUp = old.cli('backup', backup, '--passphrase-file', passphraseFile);
    let isOver = false;
    void backingUp.finally(() => {
      isOver = true;
    });
    let sent = before;
    while (!isOver) {
      await publish(publisher, sent);
      sent += CHUNK;
    }
    const done = await backingUp;
    expect(done).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^wrote \S+box\.tkb \(/),
    });
    expect(sent).toBeGreaterThan(2 * CHUNK);
    await publisher.close();
    await until('all tags', async () => (await total(rest)) === sent);
  }, 60_000);

  test('verifies: every table as it was counted', async () => {
    const { tables } = await old.cliJson<Verified>('verify', backup, '--passphrase-file', passphraseFile);
    expect(tables).toMatchObject({ orgs: 1, readers: 1, assets: 1, zones: 1 });
    expect(tables.tags).toBeGreaterThanOrEqual(before);
  }, 30_000);

  test('restored on another box is the same appliance to its reader, its agent and its people', async () => {
    const box = new Appliance();
    try {
      const done = await restore(box);
      expect(done).toMatchObject({ code: 0, stderr: '' });
      const { tables } = await old.cliJson<Verified>('verify', backup, '--passphrase-file', passphraseFile);
      const again = new Rest(await box.start(), key);
      // Acknowledged before the backup, so in it.
      expect(await total(again)).toBe(tables.tags);
      for (const no of [0, before - 1]) await again.get(`/tags/${epcOf(no)}/location`);
      expect(await again.get('/assets')).toMatchObject([{ name: 'Pallet truck' }]);
      expect(await again.get('/readers')).toMatchObject([{ id: reader.readerId, enabled: false }]);
      expect(await heardByAgent(box)).toMatchObject({ kind: 'stop' });
      const { mqtts } = box.endpoints();
      const publisher = await Publisher.connect({ url: mqtts, serial: SERIAL, identity: reader.dir });
      const known = await total(again);
      await publisher.publish({ payload: plainRead(epcOf(1_000_000)) });
      await publisher.close();
      await until('the new tag', async () => (await total(again)) === known + 1);
      expect(refusalOf(await tagkeep(['restore', backup, '--passphrase-file', passphraseFile], box))).toMatch(
        /another tagkeep \(pid \d+\) is serving/,
      );
    } finally {
      await box.dispose();
    }
  }, 60_000);

  async function heardByAgent(box: Appliance): Promise<unknown> {
    const file = (name: string): string => join(reader.dir, name);
    const { port } = new URL(box.endpoints().mqtts);
    const { stdout } = await run('mosquitto_sub', [
      ...['-h', 'localhost', '-p', port, '--cafile', file('ca.crt'), '--cert', file('client.crt')],
      ...['--key', file('client.key'), '-t', `svc/v1/${SERIAL}/commands`, '-q', '1', '-C', '1', '-W', '15'],
    ]);
    return JSON.parse(stdout);
  }
});

describe('restore and verify refuse in one line, and leave nothing', () => {
  test.each([
    [
      'a byte that was turned',
      'damaged or cut short',
      (bytes: Buffer) => bytes.fill((bytes[5000] ?? 0) ^ 1, 5000, 5001),
    ],
    ['a file cut short', 'damaged or cut short', (bytes: Buffer) => bytes.subarray(0, -1000)],
  ])('%s', async (_, reason, change) => {
    const box = new Appliance();
    try {
      const file = join(box.root, 'bad.tkb');
      writeFileSync(file, change(readFileSync(backup)));
      for (const command of ['restore', 'verify'])
        expect(refusalOf(await tagkeep([command, file, '--passphrase-file', passphraseFile], box))).toContain(
          reason,
        );
      expect([existsSync(box.dataDir), readdirSync(box.root)]).toEqual([false, ['bad.tkb']]);
    } finally {
      await box.dispose();
    }
  });

  test('a wrong passphrase, none, and a short one for a new backup', async () => {
    const args = (...more: string[]) => ['verify', backup, ...more];
    const wrong = await tagkeep(args('--passphrase-stdin'), { env: old.env, input: 'wrong\n' });
    expect(refusalOf(wrong)).toContain('the passphrase is wrong');
    expect(refusalOf(await tagkeep(args(), old), 2)).toContain(
      '--passphrase-file FILE or --passphrase-stdin',
    );
    const short = ['backup', join(old.root, 'x.tkb'), '--passphrase-stdin'];
    expect(refusalOf(await tagkeep(short, { env: old.env, input: 'short\n' }))).toContain('10 characters');
    expect(existsSync(join(old.root, 'x.tkb'))).toBe(false);
  });
});

describe('backups in a folder', () => {
  test('plain ones are what tar lists, and --keep removes the oldest', async () => {
    const dir = join(old.root, 'backups');
    mkdirSync(dir);
    for (let no = 0; no < 3; no++) {
      const { code, stderr } = await old.cli('backup', dir, '--plain', '--keep', '2');
      expect([code, stderr]).toEqual([0, expect.stringContaining('warning: the backup is not encrypted')]);
    }
    const names = readdirSync(dir);
    expect(names).toHaveLength(2);
    const { stdout } = await run('tar', ['-tf', join(dir, names[0] ?? '')]);
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining(['db/tagkeep.mdb', 'certs/ca.key', 'manifest.json']),
    );
    const badKeep = ['backup', join(old.root, 'y.tkb'), '--plain', '--keep', '2'];
    expect(refusalOf(await tagkeep(badKeep, old), 2)).toContain('--keep needs a folder');
  }, 60_000);
});
