import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { makeCertificate, makeSerialNumber } from './certificate.ts';
import { subjectNames } from './host-names.ts';
import { addYears, HOUR_MS } from './validity.ts';

const generate = promisify(generateKeyPair);

const RSA_BITS = 2048;
const YEARS = 10;

/** Whom the certificate is for: `hosts` are names and addresses; the time in milliseconds since 1970. */
export interface SelfSignedRequest {
  readonly commonName: string;
  readonly hosts: readonly string[];
  readonly now: number;
}

/** Both PEM; the key (PKCS #8) is kept nowhere else. */
export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

/**
 * A server certificate that signs itself, as a reader's local interface has one from the factory. For stand-ins: nobody can
 * check it but by having seen it before. A name or address that cannot be in a certificate is a `PkiError`.
 */
export async function makeSelfSigned(request: SelfSignedRequest): Promise<SelfSigned> {
  const { privateKey, publicKey } = await generate('rsa', { modulusLength: RSA_BITS });
  const certificate = await makeCertificate(
    {
      commonName: request.commonName,
      organisation: 'Stand-in',
      publicKey,
      serialNumber: makeSerialNumber(randomBytes),
      notBefore: request.now - HOUR_MS,
      notAfter: addYears(request.now, YEARS),
      purpose: { kind: 'server', ...subjectNames(request.hosts) },
    },
    { privateKey, certificate: null },
  );
  return {
    cert: certificate.toString(),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
