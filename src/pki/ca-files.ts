import { createPublicKey, generateKeyPair, type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { caKeyPem, isEncryptedKey, readCaKey } from './ca-key.ts';
import { makeCertificate, makeSerialNumber } from './certificate.ts';
import { keyIdentifier } from './der.ts';
import { type Passphrase, readPassphrase } from './passphrase.ts';
import { PkiError, reasonOf } from './pki-error.ts';
import {
  closeToOthers,
  createFile,
  fileModes,
  isOpenToOthers,
  makePrivateFolder,
  readSmallFile,
  replaceFile,
  sweepLeftovers,
} from './private-file.ts';
import { addYears, HOUR_MS } from './validity.ts';

const generate = promisify(generateKeyPair);

/** The root has to be safe for as long as its last reader certificate: 3072 bits is rated beyond 2030, 2048 is not. */
const CA_KEY_BITS = 3072;
const CA_YEARS = 30;
/** Clocks without a battery start in 1970 or 2000; a certificate made then would be over before its time. */
const CLOCK_FLOOR = Date.UTC(2020, 0, 1);

/** The files of a certificates folder. */
export const certFiles = {
  caKey: 'ca.key',
  caCert: 'ca.crt',
  serverKey: 'server.key',
  serverCert: 'server.crt',
} as const;

/** Where the authority's files are, what to call it, and the time (milliseconds since 1970). */
export interface CaOptions {
  readonly certsDir: string;
  readonly organisation: string;
  readonly now: number;
  /** The file with the passphrase the key is encrypted under; null or absent: it is not encrypted. */
  readonly passphraseFile?: string | null;
  readonly random?: (size: number) => Uint8Array;
}

/** The authority's key and certificate, checked, and lines worth a warning in the log. */
export interface CaPair {
  readonly privateKey: KeyObject;
  readonly certificate: X509Certificate;
  readonly warnings: readonly string[];
}

/**
 * Reads `ca.key` and `ca.crt`, making them at the first start. The key comes first and the certificate's name follows
 * from the key, so a crash between the two, or two processes starting at once, end in one matching pair.
 * A certificate without its key is never replaced: readers out there trust it. With a passphrase file the key is
 * encrypted at rest; a plain one that is there becomes so.
 */
export async function openCaFiles(options: CaOptions): Promise<CaPair> {
  refuseBadClock(options.now);
  const { passphraseFile = null } = options;
  const passphrase = passphraseFile === null ? null : await readPassphrase(passphraseFile);
  await makePrivateFolder(options.certsDir);
  await sweepLeftovers(options.certsDir, Object.values(certFiles));
  const keyPath = join(options.certsDir, certFiles.caKey);
  const certPath = join(options.certsDir, certFiles.caCert);
  // In this order: another process makes the key before the certificate.
  const certText = await readSmallFile(certPath);
  const keyText = await readSmallFile(keyPath);
  if (keyText === null && certText !== null) throw keyMissing(keyPath, options.certsDir);
  const keyPem = keyText ?? (await createCaKey(keyPath, passphrase));
  const privateKey = readCaKey(keyPem, keyPath, passphrase);
  const warnings = [...(passphrase?.warnings ?? []), ...(await tighten(keyPath))];
  if (keyText !== null && certText === null) {
    warnings.push(`${certPath} was missing and has been made again from ${certFiles.caKey}`);
  }
  const certificate = readCertificate(
    certText ?? (await createCaCert(certPath, privateKey, options)),
    certPath,
  );
  checkPair({ privateKey, certificate, keyPath, certPath, now: options.now });
  if (passphrase && !isEncryptedKey(keyPem))
    warnings.push(await encryptInPlace(keyPath, privateKey, passphrase));
  return { privateKey, certificate, warnings };
}

/** Last of all: a pair with a fault stays as it is found. */
async function encryptInPlace(path: string, privateKey: KeyObject, passphrase: Passphrase): Promise<string> {
  await replaceFile(path, await caKeyPem(privateKey, passphrase), fileModes.secret);
  return `${path} was not encrypted; it is now, with the passphrase in ${passphrase.file} (older backups still hold the plain key)`;
}

function refuseBadClock(now: number): void {
  if (now >= CLOCK_FLOOR) return;
  throw new PkiError(`the clock says ${new Date(now).toISOString()}; set it before certificates are made`);
}

function keyMissing(keyPath: string, certsDir: string): PkiError {
  const wayOut = `restore it from your backup, or move ${certsDir} away to start anew (every reader then needs a new identity)`;
  return new PkiError(`${keyPath}: missing, though ${certFiles.caCert} is there; ${wayOut}`);
}

async function createCaKey(path: string, passphrase: Passphrase | null): Promise<string> {
  const { privateKey } = await generate('rsa', { modulusLength: CA_KEY_BITS });
  return createdOrFound(path, await caKeyPem(privateKey, passphrase), fileModes.secret);
}

async function createCaCert(path: string, privateKey: KeyObject, options: CaOptions): Promise<string> {
  const publicKey = createPublicKey(privateKey);
  const id = keyIdentifier(publicKey).toString('hex', 0, 4).toUpperCase();
  const certificate = await makeCertificate(
    {
      commonName: `Tagkeep CA ${id}`,
      organisation: options.organisation,
      publicKey,
      serialNumber: makeSerialNumber(options.random ?? randomBytes),
      notBefore: options.now - HOUR_MS,
      notAfter: addYears(options.now, CA_YEARS),
      purpose: { kind: 'authority' },
    },
    { privateKey, certificate: null },
  );
  return createdOrFound(path, certificate.toString(), fileModes.open);
}

async function createdOrFound(path: string, pem: string, mode: number): Promise<string> {
  if (await createFile(path, pem, mode)) return pem;
  const found = await readSmallFile(path);
  if (found === null) throw new PkiError(`${path}: another process made and removed it; start again`);
  return found;
}

/** A key others can read still works everywhere, so it is closed and reported rather than refused. */
async function tighten(keyPath: string): Promise<string[]> {
  if (!(await isOpenToOthers(keyPath))) return [];
  await closeToOthers(keyPath);
  return [`${keyPath} could be read by other users; its mode is now 0600`];
}

function readCertificate(pem: string, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new PkiError(`${path}: not a certificate in PEM (${reasonOf(error)}); restore it from your backup`);
  }
}

interface PairToCheck {
  readonly privateKey: KeyObject;
  readonly certificate: X509Certificate;
  readonly keyPath: string;
  readonly certPath: string;
  readonly now: number;
}

function checkPair(pair: PairToCheck): void {
  const { certificate, certPath } = pair;
  const fault = (text: string) => new PkiError(`${certPath}: ${text}`);
  if (!certificate.checkPrivateKey(pair.privateKey)) {
    throw fault(`does not belong to ${pair.keyPath}; restore both files from the same backup`);
  }
  if (!certificate.ca) throw fault('not the certificate of an authority; restore it from your backup');
  if (!certificate.checkIssued(certificate) || !certificate.verify(certificate.publicKey)) {
    throw fault('issued by another authority; Tagkeep needs a root of its own');
  }
  if (pair.now < Date.parse(certificate.validFrom)) {
    throw fault(`not valid before ${certificate.validFrom}; check this machine's clock`);
  }
  if (pair.now >= Date.parse(certificate.validTo)) {
    throw fault(
      `expired on ${certificate.validTo}; move the folder away to start anew (every reader then needs a new identity)`,
    );
  }
}
