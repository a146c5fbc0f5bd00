import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Appliance, type Endpoints, Rest } from '../support/appliance.ts';
import { refusalOf, tagkeep } from '../support/command.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CODE = /^TK-[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/;

interface Key {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

interface Provisioned {
  readonly claimCode: string | null;
  readonly files: readonly string[];
  readonly certificate: {
    readonly serialNumber: string;
    readonly notBefore: string;
    readonly notAfter: string;
  };
}

const appliance = new Appliance();
let endpoints: Endpoints;
let rest: Rest;

beforeAll(async () => {
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
});
afterAll(() => appliance.dispose());

const run = (...args: string[]) => tagkeep(args, { env: appliance.env });
const me = (key: string) =>
  fetch(`${endpoints.http}/api/v1/auth/me`, { headers: { Authorization: `Bearer ${key}` } });

describe('exit codes: 0 done, 1 failed with one line, 2 bad usage', () => {
  test.each([
    [['--help'], 0],
    [['frobnicate'], 2],
    [['key', 'create'], 2],
    [['reader', 'provision', '370-1'], 2],
  ])('%j ends with %i', async (args, code) => {
    const result = await run(...args);
    expect(result.code).toBe(code);
    if (code === 0) expect(result).toMatchObject({ stdout: expect.stringMatching(/^Usage: /), stderr: '' });
    else expect(result).toMatchObject({ stdout: '', stderr: expect.stringMatching(/error: |Usage: /) });
  });

  test.each([
    [['key', 'revoke', 'nobody'], /there is no key nobody/],
    [['key', 'list', '--org', 'Nobody Ltd'], /no organisation "Nobody Ltd"/],
  ])('%j fails in one line that names what is wrong', async (args, expected) => {
    expect(refusalOf(await run(...args))).toMatch(expected);
  });

  test.each([
    [['key', 'create', 'x', '--expires', 'soon'], /--expires is "soon"/],
    [['user', 'add', 'a@b.example', '--role', 'king'], /role is "king"/],
    [['reader', 'provision', '../etc', '--out', '/nowhere'], /"\.\.\/etc" is no serial/],
    [['replay', '/no/such.ndjson', '--ports', '9=A'], /--ports has "9=A"/],
    [['simulate', '--tags', 'many'], /--tags is "many"/],
  ])('%j is bad usage, told in one line', async (args, expected) => {
    expect(refusalOf(await run(...args), 2)).toMatch(expected);
  });

  test('output that nobody reads to its end is no failure', async () => {
    const list = `"${process.execPath}" dist/tagkeep.mjs key list`;
    const { stderr } = await promisify(execFile)('sh', ['-c', `${list} | true; ${list} --json | true`], {
      env: appliance.env,
    });
    expect(stderr).toBe('');
  });

  test('a command on a folder without an appliance says how to make one, and makes nothing', async () => {
    const empty = join(appliance.root, 'empty');
    const env = { ...appliance.env, TAGKEEP_DATA_DIR: empty };
    expect(refusalOf(await tagkeep(['key', 'list'], { env }))).toMatch(
      /empty has no appliance yet; .*tagkeep init/,
    );
    expect(existsSync(empty)).toBe(false);
  });
});

describe('API keys, seen by the running appliance at once', () => {
  test('a new key works, is listed without its secret, and gets 401 once it is revoked', async () => {
    const made = await appliance.cliJson<Key>('key', 'create', 'ERP', '--expires', '30d');
    expect(made).toEqual({
      id: expect.stringMatching(UUID),
      name: 'ERP',
      key: expect.stringMatching(/^tk_[A-Za-z0-9_-]{43}$/),
      createdAt: expect.stringMatching(INSTANT),
      expiresAt: expect.stringMatching(INSTANT),
    });
    expect(Date.parse(String(made.expiresAt)) - Date.parse(made.createdAt)).toBe(30 * 86_400_000);
    expect(await (await me(made.key)).json()).toEqual({
      id: made.id,
      email: '',
      role: 'operator',
      viaKey: true,
    });

    const listed = await appliance.cli('key', 'list', '--json');
    expect(listed.stdout).not.toContain(made.key);
    const { id, name, createdAt, expiresAt } = made;
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({ id, name, createdAt, expiresAt, revokedAt: null }),
    );

    const revoked = await appliance.cliJson('key', 'revoke', id);
    expect(revoked).toMatchObject({ id, revokedAt: expect.stringMatching(INSTANT) });
    const answer = await me(made.key);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await appliance.cliJson('key', 'revoke', id)).toEqual(revoked);
  });

  test('a key stops working at the moment it expires', async () => {
    const expiresAt = new Date(Date.now() + 4000).toISOString();
    const { key } = await appliance.cliJson<Key>('key', 'create', 'short', '--expires', expiresAt);
    const answers: { at: number; status: number }[] = [];
    await until('401', async () => {
      const at = Date.now();
      const { status } = await me(key);
      answers.push({ at, status });
      return status === 401;
    });
    const early = answers.filter(({ at, status }) => status === 401 && at < Date.parse(expiresAt) - 50);
    expect(early).toEqual([]);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt) - 50);
    const [listed] = (await appliance.cli('key', 'list')).stdout
      .split('\n')
      .filter((line) => line.includes('short'));
    expect(listed).toContain('expired');
  });
});

describe('users', () => {
  test('a made password is printed once; the same address again is refused, whatever its case', async () => {
    const made = await appliance.cliJson('user', 'add', 'Ann@Example.com', '--role', 'operator');
    expect(made).toEqual({
      id: expect.stringMatching(UUID),
      email: 'ann@example.com',
      role: 'operator',
      password: expect.stringMatching(/^\S{16,}$/),
    });
    expect(refusalOf(await run('user', 'add', 'ANN@example.com', '--role', 'admin'))).toBe(
      'a user ann@example.com exists already',
    );
  });

  test('a password from standard input is taken and not printed; one too short is refused', async () => {
    const add = ['user', 'add', 'bob@example.com', '--role', 'admin', '--password-stdin', '--json'];
    const { env } = appliance;
    expect(refusalOf(await tagkeep(add, { env, input: 'short\n' }))).toMatch(/password has 5 characters/);
    const { code, stdout } = await tagkeep(add, { env, input: 'correct horse battery\n' });
    expect({ code, ...JSON.parse(stdout) }).toEqual({
      code: 0,
      id: expect.stringMatching(UUID),
      email: 'bob@example.com',
      role: 'admin',
    });
  });
});

// Before there are real readers, whose folder it refuses.
describe('the simulator', () => {
  test('simulate sends reads to the running appliance, which shows them', async () => {
    const told = await appliance.cliJson<{ reads: number; acknowledged: number }>(
      ...['simulate', '--duration', '3', '--tags', '12', '--rate', '60'],
    );
    expect(told.reads).toBeGreaterThan(50);
    expect(told.acknowledged).toBeGreaterThan(0);
    const summary = await rest.get<{ total: number }[]>('/inventory/summary');
    expect(summary.reduce((sum, { total }) => sum + total, 0)).toBeGreaterThan(3);
    const readers = await rest.get<{ serial: string; lastEventAt?: string }[]>('/readers');
    expect(
      readers.filter(({ serial, lastEventAt }) => serial.startsWith('SIM-') && lastEventAt),
    ).toHaveLength(2);
  });
});

describe('readers', () => {
  const serial = '370-10-15-0100';
  const dir = join(appliance.root, 'provisioned');
  const provision = (out: string) =>
    appliance.cliJson<Provisioned>('reader', 'provision', serial, '--out', out, '--firmware', '10.1.0');
  const claim = (code: unknown) => rest.send('POST', '/devices/claim', { code, readerName: 'Dock' });

  test('provisioning writes four files, tells the certificate and a claim code; again voids code, not certificate', async () => {
    const first = await provision(dir);
    expect(first).toEqual({
      serial,
      model: 'R700',
      firmware: '10.1.0',
      claimCode: expect.stringMatching(CODE),
      files: ['ca.crt', 'client.crt', 'client.key', 'svc.json'].map((name) => join(dir, name)),
      certificate: {
        serialNumber: expect.stringMatching(/^[0-9A-F]+$/),
        notBefore: expect.stringMatching(INSTANT),
        notAfter: expect.stringMatching(INSTANT),
      },
    });
    const certificate = new X509Certificate(readFileSync(join(dir, 'client.crt')));
    expect(certificate.subject).toContain(`CN=${serial}`);
    expect(certificate.serialNumber).toBe(first.certificate.serialNumber);
    for (const name of ['client.key', 'svc.json']) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);

    const again = join(appliance.root, 'again');
    const second = await provision(again);
    expect(second.claimCode).toMatch(CODE);
    expect(second.claimCode).not.toBe(first.claimCode);
    expect(second.certificate.serialNumber).not.toBe(first.certificate.serialNumber);
    expect((await claim(first.claimCode)).status).toBe(404);
    const typed = String(second.claimCode).toLowerCase().replaceAll('-', '');
    expect(await claim(typed)).toMatchObject({ status: 201, body: { serial, firmware: '10.1.0' } });
    expect((await claim(second.claimCode)).status).toBe(404);

    const epcs = ['E28011700000020A5C200001', 'E28011700000020A5C200002'];
    for (const [index, identity] of [dir, again].entries()) {
      const publisher = await Publisher.connect({ url: endpoints.mqtts, serial, identity });
      await publisher.publish({ payload: plainRead(String(epcs[index])) });
      await publisher.close();
    }
    const tags = await rest.get<{ epc: string }[]>('/tags?q=5C20000');
    expect(tags.map(({ epc }) => epc).sort()).toEqual(epcs);

    expect((await provision(dir)).claimCode).toBeNull();
    expect(await appliance.cliJson('reader', 'list')).toContainEqual(
      expect.objectContaining({ serial, name: 'Dock', state: 'claimed', firmware: '10.1.0' }),
    );
  });

  test('simulate makes no readers of its own among real ones, but plays a real one with its identity files', async () => {
    expect(refusalOf(await run('simulate', '--duration', '1'))).toMatch(
      /has real readers \(370-10-15-0100\)/,
    );
    const told = await appliance.cliJson<{ acknowledged: number }>(
      ...['simulate', '--identity', dir, '--duration', '2', '--rate', '40', '--tags', '5'],
    );
    expect(told.acknowledged).toBeGreaterThan(0);
    const readers = await rest.get<{ serial: string; lastEventAt?: string }[]>('/readers');
    const lastEventAt = readers.find((one) => one.serial === serial)?.lastEventAt;
    expect(Date.now() - Date.parse(String(lastEventAt))).toBeLessThan(10_000);
  });

  test('a folder that cannot be written is named, and no device is registered', async () => {
    const file = join(appliance.root, 'certs', 'ca.crt');
    const result = await run('reader', 'provision', '370-10-15-0101', '--out', file);
    expect(refusalOf(result)).toContain(file);
    expect(await appliance.cliJson<{ serial: string }[]>('reader', 'list')).not.toContainEqual(
      expect.objectContaining({ serial: '370-10-15-0101' }),
    );
  });
});

describe('the tools', () => {
  test('replay answers every move with its reason, and a summary', async () => {
    const file = 'test/corpus/dock-door/run-1.ndjson.gz';
    const ports = '1=inside:storage,2=inside:storage,3=outside:storage,4=outside:storage';
    const { moves, summary } = await appliance.cliJson<{ moves: unknown[]; summary: { moves: number } }>(
      ...['replay', file, '--ports', ports, '--policy', 'stable'],
    );
    for (const move of moves) {
      expect(move).toEqual({
        epc: expect.stringMatching(/^[0-9A-F]{8,64}$/),
        from: expect.toBeOneOf([null, 'inside', 'outside']),
        to: expect.toBeOneOf(['inside', 'outside']),
        at: expect.stringMatching(INSTANT),
        reason: expect.stringMatching(/\w/),
      });
    }
    expect(summary).toMatchObject({ policy: 'stable', rejected: 0, from: expect.stringMatching(INSTANT) });
    expect(summary.moves).toBeGreaterThan(0);
    const { placements } = summary as unknown as { placements: number };
    expect(moves).toHaveLength(summary.moves + placements);
  });

  test('init on a folder that has its appliance changes nothing and says so', async () => {
    expect(await appliance.cliJson('init')).toEqual({ created: false });
    expect((await me(await appliance.key())).status).toBe(200);
  });

  test('the demo refuses a folder with real readers', async () => {
    const other = new Appliance();
    try {
      const env = { ...other.env, TAGKEEP_CERTS_DIR: join(appliance.root, 'certs') };
      mkdirSync(other.dataDir);
      expect(await tagkeep(['init', '--json'], { env })).toMatchObject({ code: 0 });
      const out = join(other.root, 'real');
      await tagkeep(['reader', 'provision', '370-10-15-0102', '--out', out, '--key-type', 'ecdsa'], { env });
      const line = refusalOf(await tagkeep(['serve', '--demo'], { env }));
      expect(line).toMatch(/has real readers \(370-10-15-0102\)/);
      expect(existsSync(join(other.dataDir, 'run', 'endpoints.json'))).toBe(false);
    } finally {
      await other.dispose();
    }
  });
});
