import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { configurationEntries } from '../../src/app/shown-config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { declared } from '../../src/config/options.ts';
import { storeFolder } from '../support/store-folder.ts';

const folder = storeFolder();
afterAll(() => folder.close());

test('every option with its default, help and what is allowed; what is not set by anybody is a default', () => {
  const entries = configurationEntries(loadConfig({ env: {}, cwd: process.cwd() }), undefined);
  expect(entries.map(({ key }) => key)).toEqual(declared.map(({ key }) => key));
  // The checkout's own file sets some.
  const set = entries.filter(({ isDefault }) => !isDefault).map(({ key }) => key);
  expect(set).not.toContain('backup.keep');
  expect(entries.find(({ key }) => key === 'backup.keep')).toEqual({
    ...{ key: 'backup.keep', value: '14', default: '14', isDefault: true },
    help: expect.stringMatching(/^Backups that stay.*\(a whole number from 1 to 10000\)$/),
  });
});

test('values that were set differ from their default; paths are defaults wherever the file lies', () => {
  const file = join(folder.dir, 'site.json');
  writeFileSync(file, JSON.stringify({ https: { port: 443 }, mqtts: { hostnames: ['a', 'b'] } }));
  const entries = configurationEntries(loadConfig({ file, env: {}, cwd: folder.dir }), file);
  expect(entries.filter(({ isDefault }) => !isDefault).map(({ key, value }) => [key, value])).toEqual([
    ['https.port', '443'],
    ['mqtts.hostnames', 'a, b'],
  ]);
  expect(entries.find(({ key }) => key === 'dataDir')).toMatchObject({
    ...{ value: join(folder.dir, 'data'), default: 'data', isDefault: true },
  });
});

test('of secrets, and of the files that hold them, only whether they are set', () => {
  const env = {
    ...{ TAGKEEP_PKI__PASSPHRASE_FILE: '/canary/ca', TAGKEEP_BACKUP__DIR: '/backups' },
    ...{ TAGKEEP_BACKUP__PASSPHRASE_FILE: '/canary/backup', TAGKEEP_HTTPS__KEY_FILE: '/canary/key' },
    ...{ TAGKEEP_HTTPS__CERT_FILE: '/shown/cert' },
  };
  const entries = configurationEntries(loadConfig({ env, cwd: folder.dir }), undefined);
  const value = (key: string): unknown => entries.find((one) => one.key === key)?.value;
  expect(JSON.stringify(entries)).not.toContain('canary');
  expect(['pki.passphraseFile', 'backup.passphraseFile', 'https.keyFile'].map(value)).toEqual([
    'set',
    'set',
    'set',
  ]);
  expect(['mail.passwordFile', 'licence.publicKey'].map(value)).toEqual(['not set', 'not set']);
  expect(['https.certFile', 'mail.host', 'backup.plain'].map(value)).toEqual([
    '/shown/cert',
    'none',
    'false',
  ]);
});
