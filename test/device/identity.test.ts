import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { clientIdOf } from '../../src/device/broker-link.ts';
import { loadIdentity } from '../../src/device/identity.ts';
import { TestPki } from '../simulator/support.ts';

const pki = new TestPki();
afterAll(() => pki.remove());

describe('the identity of a reader', () => {
  it('is loaded from its folder, its serial being the common name of the certificate', () => {
    const identity = loadIdentity(pki.identityDir('370-10-15-0036'));
    expect(identity.serial).toBe('370-10-15-0036');
    for (const pem of [identity.ca, identity.cert]) expect(pem).toContain('-----BEGIN CERTIFICATE-----');
    expect(identity.key).toContain('PRIVATE KEY-----');
  });

  it.each(['ca.crt', 'client.crt', 'client.key'])(
    'is refused by the name of the file when %s is missing',
    (file) => {
      const dir = pki.identityDir(`missing-${file}`);
      rmSync(join(dir, file));
      expect(() => loadIdentity(dir)).toThrow(`${join(dir, file)}: is missing`);
    },
  );

  it('is refused at once when a file is a pipe or a device, which would never end', () => {
    const dir = pki.identityDir('R-1');
    rmSync(join(dir, 'client.key'));
    execFileSync('mkfifo', [join(dir, 'client.key')]);
    expect(() => loadIdentity(dir)).toThrow(`${join(dir, 'client.key')}: is no file`);
  });

  it.runIf(process.getuid?.() !== 0)('is refused when a file cannot be read', () => {
    const dir = pki.identityDir('unreadable');
    chmodSync(join(dir, 'client.key'), 0);
    expect(() => loadIdentity(dir)).toThrow(`${join(dir, 'client.key')}: cannot be read (EACCES)`);
  });

  it('is refused when a file is something else', () => {
    const dir = pki.identityDir('other');
    writeFileSync(join(dir, 'client.key'), 'no key');
    expect(() => loadIdentity(dir)).toThrow('client.key: is not a PEM private key without a passphrase');
    writeFileSync(join(dir, 'ca.crt'), 'no certificate');
    expect(() => loadIdentity(dir)).toThrow('ca.crt: is not a PEM certificate');
    writeFileSync(join(dir, 'ca.crt'), 'x'.repeat(70_000));
    expect(() => loadIdentity(dir)).toThrow('ca.crt: is over 64 kB');
  });

  it('is refused when key and certificate are of two readers', () => {
    const [first, second] = [pki.identityDir('first'), pki.identityDir('second')];
    copyFileSync(join(first, 'client.key'), join(second, 'client.key'));
    expect(() => loadIdentity(second)).toThrow('client.key: is not the private key of client.crt');
  });

  it.each(['#', 'a b', 'one/CN=two'])('is refused when the common name is no serial: %s', (name) => {
    const dir = pki.identityDir(name);
    expect(() => loadIdentity(dir)).toThrow('client.crt: its common name is not a reader serial');
  });
});

describe('the client id of a reader', () => {
  it.each([
    ['37025450820', 'R37025450820'],
    ['370-10-15-0036', 'R37010150036'],
    ['a'.repeat(40), `R${'a'.repeat(22)}`],
    ['-', 'R'],
    ['the.first-of-a-long-family-of-readers_17', 'Ralongfamilyofreaders17'],
  ])('is 1 to 23 letters and digits: %s', (serial, id) => {
    expect(clientIdOf(serial)).toBe(id);
    expect(id).toMatch(/^[a-zA-Z0-9]{1,23}$/);
  });
});
