import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Appliance, type Endpoints, Rest, readerInService } from '../support/appliance.ts';
import { tagkeep } from '../support/command.ts';
import { makeVendor, tokenOf } from '../support/licence-token.ts';
import { Publisher, plainRead } from '../support/publisher.ts';
import { until } from '../support/wait.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const CA_PASSPHRASE = 'canary passphrase of the authority';
const BACKUP_PASSPHRASE = 'canary passphrase of a backup';
const USER_PASSWORD = 'canary-password-of-a-user';
const WRONG_PASSWORD = 'canary-password-that-is-wrong';
const WRONG_KEY = 'tk_canary-key-that-is-not-one';
const READER_PASSWORD = 'canary-password-of-a-reader';
const REST_READER_PASSWORD = 'canary-password-given-over-rest';
const EMAIL = 'canary@example.org';

const vendor = makeVendor();
// The loosest umask: every file is as tight as the program itself makes it.
const appliance = new Appliance({
  before: ['sh', '-c', 'umask 0000; exec "$0" "$@"'],
  env: { TAGKEEP_LOG__LEVEL: 'trace' },
});
const inRoot = (...parts: readonly string[]): string => join(appliance.root, ...parts);
const backup = inRoot('box.tkb');
const bundle = inRoot('support.tar.gz');
const receiver = new WebhookReceiver();

/** Every secret there is, by what it is. */
const secrets = new Map<string, string>();
/** Everything the commands printed that is not a secret by purpose. */
const printed: string[] = [];
let endpoints: Endpoints;
let cookie = '';
let receiverUrl = '';

beforeAll(async () => {
  receiverUrl = await receiver.open();
  writePassphrases();
  Object.assign(appliance.env, {
    TAGKEEP_PKI__PASSPHRASE_FILE: inRoot('ca-passphrase'),
    TAGKEEP_LICENCE__PUBLIC_KEY: vendor.publicPem,
  });
  endpoints = await appliance.start();
  secrets.set('the first password', /password: (\S+)/.exec(appliance.output)?.[1] ?? '');
  const key = await appliance.key();
  secrets.set('an API key', key);
  await people();
  await readers(new Rest(endpoints, key));
  await webhook();
  await licence();
  await commands();
}, 240_000);
afterAll(async () => {
  await receiver.close();
  await appliance.dispose();
});

function writePassphrases(): void {
  fs.writeFileSync(inRoot('ca-passphrase'), `${CA_PASSPHRASE}\n`, { mode: 0o600 });
  fs.writeFileSync(inRoot('backup-passphrase'), `${BACKUP_PASSPHRASE}\n`, { mode: 0o600 });
  secrets.set('the passphrase of the CA', CA_PASSPHRASE).set('that of a backup', BACKUP_PASSPHRASE);
}

async function call(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${endpoints.http}/api/v1${path}`, {
    method,
    headers: { cookie, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Logs in, right and wrong, and makes somebody with a password of their own. */
async function people(): Promise<void> {
  const { password } = await appliance.cliJson<{ password: string }>('user', 'add', EMAIL, '--role', 'admin');
  secrets.set('a password that was made', password).set('a wrong password', WRONG_PASSWORD);
  secrets.set('a wrong key', WRONG_KEY).set('a password that was given', USER_PASSWORD);
  expect((await call('POST', '/auth/login', { email: EMAIL, password: WRONG_PASSWORD })).status).toBe(401);
  const stranger = { headers: { authorization: `Bearer ${WRONG_KEY}` } };
  expect((await fetch(`${endpoints.http}/api/v1/tags`, stranger)).status).toBe(401);
  const login = await call('POST', '/auth/login', { email: EMAIL, password });
  cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  secrets.set('a session', cookie.slice(cookie.indexOf('=') + 1));
  const user = { email: 'other@example.org', role: 'operator', password: USER_PASSWORD };
  expect((await call('POST', '/users', user)).status).toBe(201);
}

async function readers(rest: Rest): Promise<void> {
  const { id } = await rest.ok<{ id: string }>('POST', '/zones', { name: 'Dock' });
  const reader = await readerInService(appliance, rest, { serial: 'R-1', zones: { 1: id } });
  const input = `${READER_PASSWORD}\n`;
  const provision = [
    'reader',
    'provision',
    'R-2',
    '--out',
    inRoot('R-2'),
    '--reader-password-stdin',
    '--json',
  ];
  const made = await tagkeep(provision, { env: appliance.env, input });
  secrets.set('a claim code', JSON.parse(made.stdout).claimCode).set("a reader's password", READER_PASSWORD);
  const overRest = { serial: 'R-3', claim: true, readerPassword: REST_READER_PASSWORD };
  const answer = await call('POST', '/devices', overRest);
  const { files } = (await answer.json()) as { files: Record<string, string> }; // as the contract says
  secrets.set('the key of R-3', files['client.key']?.split('\n')[2] ?? '');
  secrets.set("another reader's password", REST_READER_PASSWORD);
  for (const name of ['R-1', 'R-2']) secrets.set(`the key of ${name}`, keyText(inRoot(name, 'client.key')));
  secrets.set('the key of the CA', keyText(inRoot('certs', 'ca.key')));
  secrets.set('the key of the server', keyText(inRoot('certs', 'server.key')));
  const publisher = await Publisher.connect({ url: endpoints.mqtts, serial: 'R-1', identity: reader.dir });
  await publisher.publish({ payload: plainRead('3034257BF7194E4000001A85') });
  await publisher.close();
}

/** A line out of the middle of a key. */
function keyText(file: string): string {
  return fs.readFileSync(file, 'utf8').split('\n')[2] ?? '';
}

async function webhook(): Promise<void> {
  const made = await call('POST', '/webhooks', { url: receiverUrl, types: ['tag_moved'] });
  expect(made.status).toBe(201);
  const { id, secret } = (await made.json()) as { id: string; secret: string }; // as the contract says
  secrets.set('the secret of a webhook', secret);
  await call('POST', `/webhooks/${id}/test`);
}

async function licence(): Promise<void> {
  const token = tokenOf(vendor);
  secrets.set('a licence', token);
  fs.writeFileSync(inRoot('licence'), token);
  printed.push((await appliance.cli('licence', 'install', inRoot('licence'))).stderr);
}

async function commands(): Promise<void> {
  const passphrase = ['--passphrase-file', inRoot('backup-passphrase')];
  for (const args of [
    ['backup', backup, ...passphrase],
    ['reader', 'reissue', 'R-1', '--out', inRoot('R-1-again')],
    ['support-bundle', bundle],
    ['doctor', '--json'],
  ]) {
    const { code, stdout, stderr } = await appliance.cli(...args);
    expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
    printed.push(stdout, stderr);
  }
}

/** The names of the secrets that are in a text. */
function found(text: string): string[] {
  return [...secrets].filter(([, secret]) => text.includes(secret)).map(([name]) => name);
}

/** Every file and folder below one, itself included. */
function below(path: string): string[] {
  if (!fs.lstatSync(path).isDirectory()) return [path];
  return [path, ...fs.readdirSync(path).flatMap((name) => below(join(path, name)))];
}

describe('no secret', () => {
  it('is missing from this test, or so short that it is found by chance', () => {
    expect(secrets.size).toBe(19);
    expect([...secrets].filter(([, secret]) => secret.length < 8)).toEqual([]);
  });

  it('is in the log, at the most talkative level', () => {
    expect(appliance.output).toContain('tagkeep is ready');
    // It is told once, to whoever starts the appliance first; that is what it is for.
    expect(found(appliance.output.replace(/^ {2}password: \S+/m, ''))).toEqual([]);
  });

  it('is in what commands print about the appliance', () => {
    expect(found(printed.join('\n'))).toEqual([]);
  });

  it('is in a support bundle', () => {
    const text = execFileSync('tar', ['-xzOf', bundle], { encoding: 'utf8', maxBuffer: 64e6 });
    expect(text).toContain('tagkeep_ingest');
    expect(found(text)).toEqual([]);
  });

  it('is in /metrics, in the diagnostics or in any file for programs beside', async () => {
    expect(found(await (await fetch(`${endpoints.http}/metrics`)).text())).toEqual([]);
    const diagnostics = join(appliance.dataDir, 'run', 'diagnostics.json');
    await until('the diagnostics', () => fs.existsSync(diagnostics), 30_000);
    for (const file of below(join(appliance.dataDir, 'run')))
      if (fs.statSync(file).isFile()) expect(found(fs.readFileSync(file, 'utf8')), file).toEqual([]);
  }, 40_000);

  it('is in the audit', async () => {
    const text = await (await call('GET', '/audit?limit=100')).text();
    for (const part of ['webhooks/', 'users/', 'devices/']) expect(text).toContain(part);
    expect(found(text)).toEqual([]);
  });

  it('is among the arguments of the process, which all users of the box can see', () => {
    expect(found(fs.readFileSync(`/proc/${appliance.pid}/cmdline`, 'utf8'))).toEqual([]);
  });

  it('lies plainly in an encrypted backup, nor in the store where a hash does', () => {
    expect(found(fs.readFileSync(backup, 'latin1'))).toEqual([]);
    const store = fs.readFileSync(join(appliance.dataDir, 'db', 'tagkeep.mdb'), 'latin1');
    // Signing and checking need these themselves.
    const needed = ['the secret of a webhook', 'a licence'];
    expect(found(store).filter((name) => !needed.includes(name))).toEqual([]);
  });
});

describe('whatever the umask', () => {
  it('every file is for its owner alone, and the folder of what is public is', () => {
    const places = [appliance.dataDir, inRoot('certs'), inRoot('R-1'), inRoot('R-1-again'), backup, bundle];
    const loose = places.flatMap(below).filter((path) => {
      const { mode } = fs.lstatSync(path);
      // Certificates are for everybody.
      return (mode & (path.endsWith('.crt') ? 0o022 : 0o077)) !== 0;
    });
    const shown = loose.map((path) => `${(fs.lstatSync(path).mode & 0o777).toString(8)} ${path}`);
    expect(shown).toEqual([]);
  });
});
