import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ProvisionedAtBench, provisionAndPush } from '../../src/app/provision-and-push.ts';
import { defaultPushPath, pushTarget } from '../../src/app/push-target.ts';
import { type Authority, openAuthority } from '../../src/pki/authority.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { BenchReader, type OwnCertificate, ownCertificate } from '../support/bench-reader.ts';

const serial = '370-21-09-0042';
const root = mkdtempSync(join(tmpdir(), 'tagkeep-bench-'));

let own: OwnCertificate;
let authority: Authority;
let store: Store;
let reader: BenchReader;
let dir: string;

beforeAll(async () => {
  own = ownCertificate('reader');
  authority = await openAuthority({ certsDir: join(root, 'certs'), now: Date.now() });
});
beforeEach(async () => {
  const folder = mkdtempSync(join(root, 'run-'));
  dir = join(folder, 'identity');
  store = openStore(join(folder, 'data'));
  reader = await BenchReader.start(serial, own);
  for (const name of ['ca.crt', 'client.key', 'svc.json', 'client.crt'])
    reader.answers.set(`PUT ${defaultPushPath}/${name}`, { status: 204 });
});
afterEach(async () => {
  await reader.close();
  await store.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function bench(more: { model?: string; firmware?: string } = {}): Promise<ProvisionedAtBench> {
  const { model, firmware } = more;
  const credentials = { readerUser: 'root', readerPassword: 'impinj' };
  const rest = { ...credentials, dir, keyType: 'ecdsa', orgId: 'org', now: Date.now() } as const;
  const target = pushTarget({ url: reader.url, user: 'root', password: 'impinj' });
  return provisionAndPush({ store, authority }, { serial, model, firmware, ...rest }, target);
}

test('the device is registered as the reader describes itself, and has what was issued', async () => {
  const { claimCode, certificate, push, failure } = await bench();
  expect([push?.files.length, failure]).toEqual([4, null]);
  expect(claimCode).toMatch(/^TK-/);
  expect(store.get(tables.devices, serial)).toMatchObject({ model: 'R700', firmware: '10.1.0.240' });
  expect(store.get(tables.certificates, certificate.serialNumber)).toMatchObject({ serial });
  expect(reader.bodyOf(`PUT ${defaultPushPath}/client.crt`)).toBe(
    readFileSync(join(dir, 'client.crt'), 'utf8'),
  );
  expect(JSON.parse(reader.bodyOf(`PUT ${defaultPushPath}/svc.json`))).toEqual({
    user: 'root',
    password: 'impinj',
  });
});

test('what the command line says goes before what the reader says', async () => {
  await bench({ model: 'R720', firmware: '10.2.0' });
  expect(store.get(tables.devices, serial)).toMatchObject({ model: 'R720', firmware: '10.2.0' });
});

test('another reader at that address: nothing is issued, registered or written', async () => {
  reader.answers.set('GET /api/v1/system', { status: 200, json: { serialNumber: '370-00-00-0001' } });
  await expect(bench()).rejects.toThrow('370-00-00-0001');
  expect([store.count(tables.devices), store.count(tables.certificates)]).toEqual([0, 0]);
  expect(() => readFileSync(join(dir, 'client.crt'))).toThrow('ENOENT');
  expect(reader.titles).toEqual(['GET /api/v1/system']);
});

test('a push that fails loses neither claim code nor files', async () => {
  reader.answers.set(`PUT ${defaultPushPath}/client.crt`, { status: 500 });
  const { claimCode, push, failure, warnings } = await bench();
  expect([claimCode, push]).toEqual([expect.stringMatching(/^TK-/), null]);
  expect(failure?.message).toContain(`the files stay in ${dir}`);
  expect(warnings[0]).toContain('taken on trust');
  expect(readFileSync(join(dir, 'client.crt'), 'utf8')).toContain('BEGIN CERTIFICATE');
});
