import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a reader shows the broker and trusts it by, as PEM text. */
export interface Identity {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** An identity and the serial that its certificate's common name states. */
export interface LoadedIdentity extends Identity {
  readonly serial: string;
}

const FILE_MAX_BYTES = 64 * 1024;
const SERIAL = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Reads ca.crt, client.crt and client.key from `dir` (svc.json is the agent's alone). Throws an Error of one line that
 * names the file when one is missing, unreadable, over 64 kB, no PEM, without a usable serial, or of another pair.
 */
export function loadIdentity(dir: string): LoadedIdentity {
  const caFile = join(dir, 'ca.crt');
  const certFile = join(dir, 'client.crt');
  const keyFile = join(dir, 'client.key');
  const [ca, cert, key] = [readPem(caFile), readPem(certFile), readPem(keyFile)];
  parseCertificate(caFile, ca);
  const certificate = parseCertificate(certFile, cert);
  const serial = serialOf(certFile, certificate);
  if (!certificate.checkPrivateKey(parseKey(keyFile, key))) {
    throw new Error(`${keyFile}: is not the private key of client.crt`);
  }
  return { serial, ca, cert, key };
}

/** True for what can be a topic segment and a certificate's common name: 1 to 64 of letters, digits, `.`, `_`, `-`. */
export function isSerial(text: string): boolean {
  return SERIAL.test(text);
}

function readPem(file: string): string {
  try {
    if (statSync(file).size > FILE_MAX_BYTES) throw new Error('is over 64 kB');
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file}: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be read';
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'is missing';
  return code === undefined ? error.message : `cannot be read (${code})`;
}

function parseCertificate(file: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Error(`${file}: is not a PEM certificate`);
  }
}

function parseKey(file: string, pem: string): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new Error(`${file}: is not a PEM private key without a passphrase`);
  }
}

/**
 * From the subject's text, one line a name with special characters escaped, so that a line that passes for a serial is one.
 * (`toLegacyObject`, used before node:tls is loaded, leaves Node 20 with a TLS module that cannot connect.)
 */
function serialOf(file: string, certificate: X509Certificate): string {
  const names = certificate.subject.split('\n').filter((line) => line.startsWith('CN='));
  const serial = names.length === 1 ? names[0]?.slice('CN='.length) : undefined;
  if (serial !== undefined && isSerial(serial)) return serial;
  throw new Error(`${file}: its common name is not a reader serial (1 to 64 of A-Z a-z 0-9 . _ -)`);
}
