/**
 * What both TLS ports agree to. TLS 1.3, and of TLS 1.2 only authenticated encryption with forward secrecy: Node's own list has
 * CBC with SHA-1. The order is the server's; AES-128 first, because readers have no hardware for it.
 */
export const tlsCiphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/**
 * The groups for key exchange, best first, for a version of OpenSSL (`process.versions.openssl`): from 3.5 on with the one that
 * a quantum computer does not break. Left to itself OpenSSL also takes finite fields of 2,048 bits.
 */
export function tlsGroups(opensslVersion: string): string {
  const [major = 0, minor = 0] = opensslVersion.split('.').map(Number);
  const hybrid = major > 3 || (major === 3 && minor >= 5) ? ['X25519MLKEM768'] : [];
  return [...hybrid, 'X25519', 'P-256', 'P-384'].join(':');
}
