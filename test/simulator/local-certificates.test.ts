import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startLocalInterface } from '../../src/simulator/local-interface.ts';
import { LocalReader } from '../../src/simulator/local-reader.ts';
import { call, credentials, folder, selfSigned } from './local-support.ts';
import { TestPki } from './support.ts';

const CERTS = '/api/v1/system/certificates';
const MQTT_CLIENT = `${CERTS}/tls/services/mqtt-client`;

const pki = new TestPki();
const dir = pki.identityDir('R-1');
const pem = (name: string) => readFileSync(join(dir, name), 'utf8');
const [ca, cert, key] = [pem('ca.crt'), pem('client.crt'), pem('client.key')];
const archive = pkcs12('secret');
afterAll(() => pki.remove());

function pkcs12(password: string): Buffer {
  const files = ['-in', join(dir, 'client.crt'), '-inkey', join(dir, 'client.key')];
  const out = ['-passout', `pass:${password}`];
  return execFileSync('openssl', ['pkcs12', '-export', ...files, ...out], { stdio: 'pipe' });
}

let reader: LocalReader;
beforeEach(() => {
  reader = new LocalReader({ serial: 'R-1', now: Date.now });
});
const ask = (method: string, path: string, body?: unknown) => reader.handle({ method, path, body });
function upload(store: 'ca' | 'tls', content: string | Buffer, password?: string) {
  const fields = new Map(password === undefined ? [] : [['password', password]]);
  const file = { content: Buffer.from(content), fields };
  return reader.handle({ method: 'POST', path: `${CERTS}/${store}/certs`, upload: file });
}

describe('certificates of a reader', () => {
  it('a bundle of authorities is installed, listed, shown and removed', () => {
    expect(upload('ca', `${ca}\n${ca}`)).toEqual({ status: 201, body: { certIds: [1, 2] } });
    expect(ask('GET', `${CERTS}/ca/certs`).body).toMatchObject([
      { certId: 1, subject: 'CN=test root' },
      { certId: 2 },
    ]);
    expect(ask('GET', `${CERTS}/ca/certs/1`)).toMatchObject({ status: 200, body: { certId: 1 } });
    expect(ask('DELETE', `${CERTS}/ca/certs/1`).status).toBe(204);
    expect(ask('DELETE', `${CERTS}/ca/certs/1`).status).toBe(404);
    expect(ask('GET', `${CERTS}/ca/certs/1`).status).toBe(404);
  });

  it.each([
    ['PEM with its key', () => upload('tls', `${cert}\n${key}`)],
    ['PKCS#12 with its password', () => upload('tls', archive, 'secret')],
    ['JSON', () => ask('POST', `${CERTS}/tls/certs`, { certFile: `${key}\n${cert}` })],
  ])('an own certificate is taken as %s, and can be chosen for a service', (_, install) => {
    expect(install()).toEqual({ status: 201, body: { certId: 1 } });
    expect(ask('GET', MQTT_CLIENT)).toEqual({ status: 200, body: {} });
    expect(ask('PUT', MQTT_CLIENT, { certId: 1 }).status).toBe(204);
    expect(ask('GET', MQTT_CLIENT)).toEqual({ status: 200, body: { certId: 1 } });
    expect(ask('DELETE', `${CERTS}/tls/certs/1`).status).toBe(409);
  });

  it.each([
    { what: 'nothing', store: 'ca', content: '' },
    { what: 'no PEM as an authority', store: 'ca', content: 'hello' },
    { what: 'a leaf as an authority', store: 'ca', content: cert },
    { what: 'an own certificate without its key', store: 'tls', content: cert },
    { what: 'a key without its certificate', store: 'tls', content: key },
    { what: 'the key of another', store: 'tls', content: `${cert}\n${selfSigned.key}` },
    { what: 'a certificate for servers', store: 'tls', content: `${selfSigned.cert}\n${selfSigned.key}` },
    { what: 'PKCS#12 with another password', store: 'tls', content: archive, password: 'wrong' },
    { what: 'bytes', store: 'tls', content: Buffer.from([0, 1, 2]) },
  ] as const)('400 for $what', ({ store, content, ...more }) => {
    const password = 'password' in more ? more.password : undefined;
    expect(upload(store, content, password)).toMatchObject({
      status: 400,
      body: { invalidPropertyId: 'certFile' },
    });
    expect(ask('GET', `${CERTS}/${store}/certs`).body).toEqual([]);
  });

  it.each([[{ certId: 9 }], [{ certId: '1' }], [{}], [undefined], [{ certId: 1, more: 1 }]])(
    'no service shows %j',
    (body) => {
      upload('ca', ca);
      expect(ask('PUT', MQTT_CLIENT, body).status).toBe(400);
    },
  );

  it('at most 64 are kept', () => {
    expect(upload('ca', ca.repeat(64)).status).toBe(201);
    expect(upload('ca', ca).status).toBe(400);
  });

  it('no answer shows a key, and all survive a reboot', () => {
    upload('tls', `${cert}\n${key}`);
    ask('PUT', MQTT_CLIENT, { certId: 1 });
    expect(JSON.stringify(ask('GET', `${CERTS}/tls/certs`).body)).not.toContain('PRIVATE');
    reader = new LocalReader({
      serial: 'R-1',
      now: Date.now,
      state: JSON.parse(JSON.stringify(reader.state())),
    });
    expect(ask('GET', MQTT_CLIENT).body).toEqual({ certId: 1 });
  });

  it('over HTTPS a form and a bare body do alike', async () => {
    const home = folder();
    const local = await startLocalInterface({
      dir: home.dir,
      serial: 'R-1',
      ...credentials,
      tls: selfSigned,
    });
    const post = (path: string, body: string | Buffer, type: string) =>
      call(local.url, `${CERTS}/${path}`, { method: 'POST', body, headers: { 'content-type': type } });
    const form = Buffer.concat([
      Buffer.from('--b\r\ncontent-disposition: form-data; name="password"\r\n\r\nsecret\r\n'),
      Buffer.from('--b\r\ncontent-disposition: form-data; name="certFile"; filename="r.p12"\r\n\r\n'),
      archive,
      Buffer.from('\r\n--b--\r\n'),
    ]);
    expect((await post('tls/certs', form, 'multipart/form-data; boundary=b')).status).toBe(201);
    expect((await post('ca/certs', ca, 'application/x-pem-file')).status).toBe(201);
    expect((await post('tls/certs', 'nothing', 'multipart/form-data; boundary=b')).status).toBe(400);
    await local.stop();
    home.remove();
  });
});
