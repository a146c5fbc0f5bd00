import { createSecureContext } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { tlsCiphers, tlsGroups } from '../../src/lib/tls-rules.ts';

describe('what both TLS ports agree to', () => {
  it('is authenticated encryption with forward secrecy only', () => {
    for (const name of tlsCiphers.split(':')) expect(name).toMatch(/^(TLS_|ECDHE-).*(GCM|POLY1305)/);
  });

  it('can be used by the OpenSSL that runs', () => {
    const ecdhCurve = tlsGroups(process.versions.openssl);
    expect(createSecureContext({ ciphers: tlsCiphers, ecdhCurve })).toBeDefined();
  });

  it.each([
    ['3.0.22+quic', 'X25519:P-256:P-384'],
    ['3.4.1', 'X25519:P-256:P-384'],
    ['3.5.0', 'X25519MLKEM768:X25519:P-256:P-384'],
    ['4.0.0-beta', 'X25519MLKEM768:X25519:P-256:P-384'],
    ['', 'X25519:P-256:P-384'],
  ])('with OpenSSL %s exchanges keys in %s', (version, groups) => {
    expect(tlsGroups(version)).toBe(groups);
  });
});
