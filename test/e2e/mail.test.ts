import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Appliance, type Endpoints, Rest } from '../support/appliance.ts';
import { MailReceiver, mailCertificates, Reply } from '../support/mail-receiver.ts';
import { until } from '../support/wait.ts';

const login = { user: 'tagkeep@site.example', password: 'canary-mail-password' };
const appliance = new Appliance();
const receiver = new MailReceiver();
let certificates: Awaited<ReturnType<typeof mailCertificates>>;
let endpoints: Endpoints;
let rest: Rest;
let cookie: string;

async function admin<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${endpoints.http}/api/v1${path}`, {
    method,
    headers: { cookie, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function logIn(): Promise<string> {
  const email = 'manager@example.org';
  const { password } = await appliance.cliJson<{ password: string }>('user', 'add', email, '--role', 'admin');
  const response = await fetch(`${endpoints.http}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

const addAsset = (name: string) => rest.ok('POST', '/assets', { name, assetTagNumber: name });

beforeAll(async () => {
  certificates = await mailCertificates(appliance.root);
  receiver.login = login;
  const port = await receiver.open(certificates.tls);
  writeFileSync(join(appliance.root, 'password'), `${login.password}\n`, { mode: 0o600 });
  Object.assign(appliance.env, {
    TAGKEEP_MAIL__HOST: 'localhost',
    TAGKEEP_MAIL__PORT: String(port),
    TAGKEEP_MAIL__USER: login.user,
    TAGKEEP_MAIL__PASSWORD_FILE: join(appliance.root, 'password'),
    TAGKEEP_MAIL__FROM: 'tagkeep@site.example',
    TAGKEEP_MAIL__CA_FILE: certificates.caFile,
  });
  endpoints = await appliance.start();
  rest = new Rest(endpoints, await appliance.key());
  cookie = await logIn();
}, 60_000);
afterAll(async () => {
  await appliance.dispose();
  await receiver.close();
});

describe('e-mail of a real appliance', () => {
  test('none configured, none sent: nobody calls the mail server, whatever happens', async () => {
    await addAsset('Before');
    const { length } = await admin<unknown[]>('GET', '/webhooks');
    expect([length, receiver.connections]).toEqual([0, 0]);
  });

  test('kill -9 while the mail server refuses: what was acknowledged is told after the next start, in order', async () => {
    receiver.react = () => new Reply(451, 'later');
    const { id } = await admin<{ id: string }>('POST', '/webhooks', {
      emailTo: ['lead@example.org'],
      types: ['asset_created'],
    });
    await addAsset('One');
    await addAsset('Two');
    await until('a refused e-mail', () => receiver.received.length > 0, 30_000);
    await addAsset('Three');
    expect(await appliance.stop('SIGKILL')).toBe('SIGKILL');
    receiver.react = () => null;
    endpoints = await appliance.start();
    rest = new Rest(endpoints, await appliance.key());
    const told = () =>
      receiver.taken.flatMap(({ text }) =>
        [...text.matchAll(/: (\w+) \(\w+\) was added/g)].map(([, name]) => name),
      );
    await until('the first to be told', () => receiver.taken.length > 0, 40_000);
    expect(told().slice(0, 2)).toEqual(['One', 'Two']);
    expect(receiver.taken[0]).toMatchObject({ secure: true, user: login.user, to: ['lead@example.org'] });
    // The appliance writes down what was delivered after the mail server has it.
    const newest = async () =>
      (await admin<{ outcome: string }[]>('GET', `/webhooks/${id}/deliveries`))[0] ?? { outcome: 'none' };
    await until('it to be written down', async () => (await newest()).outcome === 'delivered', 20_000);
    expect(await newest()).toMatchObject({ statusCode: 250, events: expect.any(Number) });
  }, 120_000);

  test('the password is in no log, support bundle, audit, metrics or configuration that is shown', async () => {
    const bundle = join(appliance.root, 'bundle.tar.gz');
    expect(await appliance.cli('support-bundle', bundle)).toMatchObject({ code: 0 });
    const metrics = await (await fetch(`${endpoints.http}/metrics`)).text();
    const audit = JSON.stringify(await admin('GET', '/audit'));
    const everything = [appliance.output, gunzipSync(readFileSync(bundle)).toString(), metrics, audit];
    for (const text of everything) {
      expect(text.length).toBeGreaterThan(100);
      expect(text).not.toContain(login.password);
      expect(text).not.toContain(Buffer.from(login.password).toString('base64'));
    }
  }, 30_000);

  test('a password file that is not there ends the start with one line that names the key', async () => {
    const broken = new Appliance({
      env: { ...pick('TAGKEEP_MAIL__'), TAGKEEP_MAIL__PASSWORD_FILE: '/nowhere' },
    });
    const { code, stderr } = await broken.cli('serve');
    expect([code, stderr.trim()]).toEqual([1, "tagkeep: mail.passwordFile: /nowhere can't be read: ENOENT"]);
    await broken.dispose();
  }, 30_000);
});

function pick(prefix: string): Record<string, string> {
  const found = Object.entries(appliance.env).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(found.map(([name, value]) => [name, value ?? '']));
}
