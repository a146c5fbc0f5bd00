import { createPrivateKey, generateKeyPair, type KeyObject, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { certFiles } from './ca-files.ts';
import { makeCertificate } from './certificate.ts';
import { canonicalAddress, type SubjectNames, subjectNames } from './host-names.ts';
import { PkiError } from './pki-error.ts';
import { fileModes, isOpenToOthers, readSmallFile, replaceFile } from './private-file.ts';
import { DAY_MS, HOUR_MS } from './validity.ts';

const generate = promisify(generateKeyPair);

/** Some TLS clients refuse a server certificate that is valid longer. */
const VALID_DAYS = 825;
const RENEW_DAYS = 60;
const MAX_NAMES = 100;
/** Addresses the machine had before; enough for a few networks that come and go. */
const MAX_FORMER_ADDRESSES = 20;
const COMMON_NAME_MAX_LENGTH = 64;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

/** The certificate the broker and HTTPS listen with. `chainPem` is `certPem` followed by the authority's certificate. */
export interface ServerCertificate {
  readonly certPem: string;
  readonly keyPem: string;
  readonly chainPem: string;
  /** Begin of validity, milliseconds since 1970. */
  readonly notBefore: number;
  /** End of validity, milliseconds since 1970; call `ensureServer` again 60 days before it. */
  readonly notAfter: number;
  /** Why a new one was made just now; null when the one on disk still serves. */
  readonly issuedBecause: string | null;
}

/** The names and addresses the certificate must carry, and the time (milliseconds since 1970). */
export interface ServerRequest {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly now: number;
}

/** What the authority lends: its key, its certificate, its folder, and serial numbers. */
export interface ServerIssuer {
  readonly certsDir: string;
  readonly organisation: string;
  readonly privateKey: KeyObject;
  readonly certificate: X509Certificate;
  readonly nextSerialNumber: () => string;
}

/**
 * The server certificate from `server.crt` and `server.key`, made anew when they are missing or broken, when the names or
 * the authority changed, an address came, when it ends within 60 days, or when others could read the key. An address that went
 * changes nothing, and the next certificate still has it: after a power cut the box is often up before its switch is,
 * and readers that know it by address must find it in the certificate once the link is back.
 */
export async function ensureServerCertificate(
  issuer: ServerIssuer,
  request: ServerRequest,
): Promise<ServerCertificate> {
  const wanted = checkedNames(request);
  const found = await readPair(issuer.certsDir);
  const fault =
    typeof found === 'string' ? found : faultOf(found.certificate, { issuer, wanted, now: request.now });
  if (typeof found !== 'string' && fault === null) return answer(found, issuer, null);
  const former = typeof found === 'string' ? [] : formerAddresses(found.certificate, wanted);
  const subject = { names: wanted.names, addresses: [...wanted.addresses, ...former] };
  const made = await issue(issuer, subject, request.now);
  // The key first: a crash in between leaves a pair that does not match, which the next start replaces.
  await replaceFile(join(issuer.certsDir, certFiles.serverKey), made.keyPem, fileModes.secret);
  await replaceFile(join(issuer.certsDir, certFiles.serverCert), made.certificate.toString(), fileModes.open);
  return answer(made, issuer, fault);
}

interface ServerPair {
  readonly certificate: X509Certificate;
  readonly keyPem: string;
}

function answer(pair: ServerPair, issuer: ServerIssuer, issuedBecause: string | null): ServerCertificate {
  const certPem = pair.certificate.toString();
  const notAfter = Date.parse(pair.certificate.validTo);
  return {
    certPem,
    keyPem: pair.keyPem,
    chainPem: certPem + issuer.certificate.toString(),
    notBefore: Date.parse(pair.certificate.validFrom),
    notAfter,
    issuedBecause,
  };
}

function checkedNames(request: ServerRequest): SubjectNames {
  const wanted = subjectNames([...request.names, ...request.addresses]);
  const count = wanted.names.length + wanted.addresses.length;
  if (count === 0) throw new PkiError('a server certificate needs at least one name or address');
  if (count > MAX_NAMES)
    throw new PkiError(`${count} names and addresses; a server certificate takes ${MAX_NAMES}`);
  return wanted;
}

/** The pair on disk, or what is wrong with it. */
async function readPair(certsDir: string): Promise<ServerPair | string> {
  const keyPath = join(certsDir, certFiles.serverKey);
  const keyPem = await readSmallFile(keyPath);
  const certPem = await readSmallFile(join(certsDir, certFiles.serverCert));
  if (keyPem === null || certPem === null) return 'there was none';
  if (await isOpenToOthers(keyPath)) return 'its key could be read by other users';
  try {
    const certificate = new X509Certificate(certPem);
    return certificate.checkPrivateKey(createPrivateKey(keyPem))
      ? { certificate, keyPem }
      : 'its key did not match';
  } catch {
    return 'its files were damaged';
  }
}

interface Expectation {
  readonly issuer: ServerIssuer;
  readonly wanted: SubjectNames;
  readonly now: number;
}

function faultOf(certificate: X509Certificate, { issuer, wanted, now }: Expectation): string | null {
  const ours =
    certificate.checkIssued(issuer.certificate) && certificate.verify(issuer.certificate.publicKey);
  if (!ours) return 'the authority changed';
  if (!certificate.keyUsage?.includes(SERVER_AUTH)) return 'it was not made for a server';
  if (now < Date.parse(certificate.validFrom)) return 'it was not valid yet';
  if (Date.parse(certificate.validTo) - now < RENEW_DAYS * DAY_MS)
    return `it would end within ${RENEW_DAYS} days`;
  return covers(certificate, wanted) ? null : 'names or addresses changed';
}

function covers(certificate: X509Certificate, wanted: SubjectNames): boolean {
  const { names, addresses } = namesIn(certificate);
  const sameNames =
    names.length === wanted.names.length && wanted.names.every((name) => names.includes(name));
  return sameNames && wanted.addresses.every((address) => addresses.includes(address));
}

/** What the certificate has and the machine has not now, the latest first. */
function formerAddresses(certificate: X509Certificate, wanted: SubjectNames): readonly string[] {
  const room = MAX_NAMES - wanted.names.length - wanted.addresses.length;
  return namesIn(certificate)
    .addresses.filter((address) => !wanted.addresses.includes(address))
    .slice(0, Math.min(room, MAX_FORMER_ADDRESSES));
}

function namesIn(certificate: X509Certificate): SubjectNames {
  const entries = (certificate.subjectAltName ?? '').split(', ');
  const of = (kind: string): string[] =>
    entries.flatMap((entry) => (entry.startsWith(kind) ? entry.slice(kind.length) : []));
  return { names: of('DNS:'), addresses: of('IP Address:').map((text) => canonicalAddress(text) ?? text) };
}

async function issue(issuer: ServerIssuer, wanted: SubjectNames, now: number): Promise<ServerPair> {
  const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' });
  const notBefore = now - HOUR_MS;
  const fitting = [...wanted.names, ...wanted.addresses].find(
    (name) => name.length <= COMMON_NAME_MAX_LENGTH,
  );
  const certificate = await makeCertificate(
    {
      commonName: fitting ?? 'Tagkeep server',
      organisation: issuer.organisation,
      publicKey,
      serialNumber: issuer.nextSerialNumber(),
      notBefore,
      // The last second counts as a part of the validity.
      notAfter: notBefore + VALID_DAYS * DAY_MS - 1000,
      purpose: { kind: 'server', ...wanted },
    },
    issuer,
  );
  return { certificate, keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
