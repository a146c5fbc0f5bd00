import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalAddress, canonicalName, hostNames, subjectNames } from '../../src/pki/host-names.ts';
import { PkiError } from '../../src/pki/pki-error.ts';
import { codePoint } from '../support/code-point.ts';

const bare = { hostname: 'tagkeep', hostsFile: '', addresses: [] };

describe('the names of a machine', () => {
  test('this machine: localhost and both loopback addresses are always there, everything is valid and there once', () => {
    const { names, addresses } = hostNames([]);
    expect(names).toContain('localhost');
    expect(addresses).toEqual(expect.arrayContaining(['127.0.0.1', '::1']));
    expect(subjectNames([...names, ...addresses])).toEqual({ names, addresses });
  });

  test('host name, short name, full names from the hosts file, and the .local name', () => {
    const hostsFile =
      '127.0.0.1 localhost.localdomain localhost\n127.0.1.1\tdepot.Example.com depot # comment x.y\n9.9.9.9 other.com';
    const { names } = hostNames([], { ...bare, hostname: 'depot', hostsFile });
    expect(names).toEqual(['depot', 'depot.example.com', 'depot.local', 'localhost']);
    const full = hostNames([], { ...bare, hostname: 'depot.example.com', hostsFile: '' });
    expect(full.names).toEqual(['depot.example.com', 'depot', 'depot.local', 'localhost']);
  });

  test('a host name that is no name is left out, and localhost has no .local', () => {
    for (const hostname of ['(none)', '', 'localhost', '10.0.0.1']) {
      expect(hostNames([], { ...bare, hostname }).names).toEqual(['localhost']);
    }
  });

  test('extra names and addresses come sorted apart, each once', () => {
    const extra = ['Depot.example.', '10.0.0.9', 'depot.example', 'fd00:0::1', '127.0.0.1'];
    const { names, addresses } = hostNames(extra, { ...bare, addresses: ['10.0.0.9'] });
    expect(names).toEqual(['tagkeep', 'tagkeep.local', 'localhost', 'depot.example']);
    expect(addresses).toEqual(['10.0.0.9', '127.0.0.1', '::1', 'fd00::1']);
  });

  test('at most 40 interface addresses are taken, and 50 extras are allowed', () => {
    const many = Array.from({ length: 60 }, (_, index) => `10.0.0.${index + 1}`);
    expect(hostNames([], { ...bare, addresses: many }).addresses).toEqual([
      ...many.slice(0, 40),
      '127.0.0.1',
      '::1',
    ]);
    expect(hostNames(many.slice(0, 50), bare).addresses).toHaveLength(52);
    expect(() => hostNames(many.slice(0, 51), bare)).toThrow('51 extra host names; at most 50 are allowed');
  });

  test('with every limit reached, no more than the 100 names and addresses a server certificate takes', () => {
    const hostsFile = Array.from({ length: 9 }, (_, index) => `10.0.0.1 h.d h.d${index}.example`).join('\n');
    const addresses = Array.from({ length: 60 }, (_, index) => `10.0.0.${index + 1}`);
    const extra = Array.from({ length: 50 }, (_, index) => `extra-${index}`);
    const all = hostNames(extra, { hostname: 'h.d', hostsFile, addresses });
    expect(all.names.length + all.addresses.length).toBeLessThanOrEqual(100);
    expect(all.names).toContain('extra-49');
  });

  const bad = [
    '',
    ' ',
    'a b',
    '-a',
    'a-',
    'a..b',
    '.a',
    '*.example',
    'a:8883',
    'https://a',
    '[::1]',
    '1.2.3',
    '256.1.1.1',
  ];
  const odd = [
    '0x7f.1',
    'fe80::1%eth0',
    '0.0.0.0',
    '::',
    'a,DNS:b',
    'a\n',
    'ä\tb',
    'ä\n',
    'a\u0000',
    'x'.repeat(64),
    'a.'.repeat(127).concat('b'),
  ];
  test.each([...bad, ...odd])('an extra that is neither name nor address is refused by name: %j', (text) => {
    expect(() => hostNames([text], bare)).toThrow(PkiError);
    expect(() => hostNames([text], bare)).toThrow(
      `${JSON.stringify(text)} is neither a host name nor an IP address`,
    );
  });
});

describe('canonical forms', () => {
  test('names in other scripts take their ASCII form', () => {
    expect(canonicalName('Lager.Köln.example')).toBe('lager.xn--kln-sna.example');
  });

  test('a canonical name is its own canonical form and safe inside a certificate', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.string({ unit: codePoint }), fc.string()), (text) => {
        const name = canonicalName(text);
        fc.pre(name !== null);
        expect(canonicalName(name ?? '')).toBe(name);
        expect(name).toMatch(/^[a-z0-9._-]{1,253}$/);
      }),
    );
  });

  test('every domain name is a name', () => {
    fc.assert(
      fc.property(fc.domain(), (domain) => {
        expect(canonicalName(domain)).toBe(domain.toLowerCase());
      }),
    );
  });

  test('all spellings of an address have one canonical form', () => {
    for (const text of ['0:0:0:0:0:0:0:1', '::1', '0::0:1', '::0.0.0.1'])
      expect(canonicalAddress(text)).toBe('::1');
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = canonicalAddress(text);
        fc.pre(address !== null);
        expect(isIP(address ?? '')).toBe(isIP(text));
        expect(canonicalAddress((address ?? '').toUpperCase())).toBe(address);
      }),
    );
  });
});
