import { generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { type CaPair, openCaFiles } from './ca-files.ts';
import { makeCertificate, makeSerialNumber } from './certificate.ts';
import { PkiError } from './pki-error.ts';
import { makeRevocationList, type RevocationListContent } from './revocation-list.ts';
import { ensureServerCertificate, type ServerCertificate, type ServerRequest } from './server-certificate.ts';
import { addYears, HOUR_MS } from './validity.ts';

export { PkiError } from './pki-error.ts';

const generate = promisify(generateKeyPair);

const CLIENT_YEARS = 10;
const CLIENT_RSA_BITS = 2048;
const ORGANISATION = 'Tagkeep';

/** The appliance's own certificate authority. Times are milliseconds since 1970. */
export interface Authority {
  readonly caCertPem: string;
  /** SHA-256 of the authority's certificate, upper-case hex pairs joined by colons. */
  readonly caFingerprint256: string;
  readonly caNotAfter: number;
  /** Things found and put right when the authority was opened; each a line for the log. */
  readonly warnings: readonly string[];
  /** A reader's certificate: the common name is its serial. A name that can't be a serial is a `PkiError`. */
  issueClient(request: ClientRequest): Promise<IssuedCertificate>;
  /** The server certificate, kept on disk and renewed when it has to be (see `ensureServerCertificate`). */
  ensureServer(request: ServerRequest): Promise<ServerCertificate>;
  /** A signed revocation list in DER (see `makeRevocationList`). */
  revocationList(content: RevocationListContent): Promise<Buffer>;
}

/**
 * A client certificate to issue. RSA is the default: readers' own MQTT clients and their certificate stores all take
 * it, elliptic curves only some do.
 */
interface ClientRequest {
  readonly commonName: string;
  readonly keyType?: 'rsa' | 'ecdsa';
  readonly now: number;
}

/** A certificate with its private key (PKCS #8 PEM); the key is kept nowhere else. */
export interface IssuedCertificate {
  readonly certPem: string;
  readonly keyPem: string;
  /** Upper-case hex as `tls.TLSSocket.getPeerCertificate().serialNumber` prints it. */
  readonly serialNumber: string;
  readonly fingerprint256: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Where the authority lives, its organisation name (1 to 64 characters, "Tagkeep" by default), and the time. */
export interface AuthorityOptions {
  readonly certsDir: string;
  /** The file with the passphrase that keeps the key encrypted at rest; null or absent: a plain key. */
  readonly passphraseFile?: string | null;
  readonly organisation?: string;
  readonly now: number;
  readonly random?: (size: number) => Uint8Array;
}

/**
 * Opens the authority in `certsDir`, making it at the first start. A folder, key or certificate that can't be used is
 * a `PkiError`: one line that names the file and says what to do.
 */
export async function openAuthority(options: AuthorityOptions): Promise<Authority> {
  const { certsDir, random = randomBytes, organisation = ORGANISATION } = options;
  checkOrganisation(organisation);
  const ca = await openCaFiles({ ...options, organisation });
  const issuer = { ...ca, certsDir, organisation, nextSerialNumber: () => makeSerialNumber(random) };
  return {
    caCertPem: ca.certificate.toString(),
    caFingerprint256: ca.certificate.fingerprint256,
    caNotAfter: Date.parse(ca.certificate.validTo),
    warnings: ca.warnings,
    issueClient: (request) => issueClient(issuer, request),
    ensureServer: (request) => ensureServerCertificate(issuer, request),
    revocationList: (content) => makeRevocationList(content, issuer),
  };
}

/** True for a text that can be a reader's serial, and so a common name and one level of a topic. */
export function isCommonName(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text);
}

function checkOrganisation(organisation: string): void {
  if (/^[^\p{Cc}]{1,64}$/u.test(organisation)) return;
  throw new PkiError(
    `${JSON.stringify(organisation.slice(0, 100))}: an organisation name has 1 to 64 characters`,
  );
}

interface ClientIssuer extends CaPair {
  readonly organisation: string;
  readonly nextSerialNumber: () => string;
}

/** Interface "Authentication" 6 and 8: the common name is the serial, valid for ten calendar years. */
async function issueClient(issuer: ClientIssuer, request: ClientRequest): Promise<IssuedCertificate> {
  const { commonName, now } = request;
  if (!isCommonName(commonName)) {
    const shown = JSON.stringify(commonName.slice(0, 100));
    throw new PkiError(`${shown}: a serial is 1 to 64 letters, digits, dots, dashes or underscores`);
  }
  const { privateKey, publicKey } = await makeClientKey(request.keyType ?? 'rsa');
  const certificate = await makeCertificate(
    {
      commonName,
      organisation: issuer.organisation,
      publicKey,
      serialNumber: issuer.nextSerialNumber(),
      notBefore: now - HOUR_MS,
      notAfter: addYears(now, CLIENT_YEARS),
      purpose: { kind: 'client' },
    },
    issuer,
  );
  return {
    certPem: certificate.toString(),
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    serialNumber: certificate.serialNumber,
    fingerprint256: certificate.fingerprint256,
    notBefore: Date.parse(certificate.validFrom),
    notAfter: Date.parse(certificate.validTo),
  };
}

function makeClientKey(keyType: 'rsa' | 'ecdsa'): Promise<{ privateKey: KeyObject; publicKey: KeyObject }> {
  if (keyType === 'ecdsa') return generate('ec', { namedCurve: 'P-256' });
  return generate('rsa', { modulusLength: CLIENT_RSA_BITS });
}
