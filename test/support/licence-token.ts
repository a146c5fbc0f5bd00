import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A vendor: a key pair of its own. */
export interface Vendor {
  readonly publicPem: string;
  readonly privateKey: KeyObject;
}

export function makeVendor(): Vendor {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(), privateKey };
}

/** The claims every token has. */
export const claims = {
  customer: 'Acme',
  edition: 'standard',
  features: ['dock_doors'],
  maxReaders: 2,
  maxSites: 1,
};

/** A compact JWS with any header and payload, well-formed or not. */
export function tokenOf(
  { privateKey }: Vendor,
  payload: unknown = claims,
  header: unknown = { alg: 'EdDSA' },
): string {
  const part = (value: unknown): string =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}
