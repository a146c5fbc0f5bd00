import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { isReaderSerial } from '../contract/topics.ts';
import { readSmallText } from './small-file.ts';

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

/** What the three files hold as far as each could be read, and a line for everything that is wrong with them. */
export interface ExaminedIdentity {
  readonly identity: LoadedIdentity | null;
  readonly certificate: X509Certificate | null;
  /** Every certificate of ca.crt; empty when it has none. */
  readonly authorities: readonly X509Certificate[];
  readonly problems: readonly string[];
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads ca.crt, client.crt and client.key from `dir` (svc.json is the agent's alone). Throws an Error of one line that
 * names the file when one is missing, unreadable, over 64 kB, no PEM, without a usable serial, or of another pair.
 */
export function loadIdentity(dir: string): LoadedIdentity {
  const { identity, problems } = examineIdentity(dir);
  if (identity === null) throw new Error(problems[0] ?? `${dir}: holds no identity`);
  return identity;
}

/** The same as `loadIdentity`, but it tells everything that is wrong at once. Never throws. */
export function examineIdentity(dir: string): ExaminedIdentity {
  const problems: string[] = [];
  const read = <T>(name: string, parse: (file: string) => T): T | null => {
    try {
      return parse(join(dir, name));
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      return null;
    }
  };
  const ca = read('ca.crt', readAuthorities);
  const cert = read('client.crt', readClient);
  const key = read('client.key', readKey);
  if (cert && key && !cert.certificate.checkPrivateKey(key.key)) {
    problems.push(`${join(dir, 'client.key')}: is not the private key of client.crt`);
  }
  const whole = ca && cert && key && problems.length === 0;
  return {
    identity: whole ? { serial: cert.serial, ca: ca.pem, cert: cert.pem, key: key.pem } : null,
    certificate: cert?.certificate ?? null,
    authorities: ca?.authorities ?? [],
    problems,
  };
}

function readAuthorities(file: string): { pem: string; authorities: readonly X509Certificate[] } {
  const pem = readSmallText(file);
  const blocks = pem.match(PEM_CERTIFICATE) ?? [pem];
  return { pem, authorities: blocks.map((block) => parseCertificate(file, block)) };
}

function readClient(file: string): { pem: string; certificate: X509Certificate; serial: string } {
  const pem = readSmallText(file);
  const certificate = parseCertificate(file, pem);
  return { pem, certificate, serial: serialOf(file, certificate) };
}

function readKey(file: string): { pem: string; key: KeyObject } {
  const pem = readSmallText(file);
  try {
    return { pem, key: createPrivateKey(pem) };
  } catch {
    throw new Error(`${file}: is not a PEM private key without a passphrase`);
  }
}

function parseCertificate(file: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Error(`${file}: is not a PEM certificate`);
  }
}

/**
 * From the subject's text, one line a name with special characters escaped, so that a line that passes for a serial is one.
 * (`toLegacyObject`, used before node:tls is loaded, leaves Node 20 with a TLS module that cannot connect.)
 */
function serialOf(file: string, certificate: X509Certificate): string {
  const names = certificate.subject.split('\n').filter((line) => line.startsWith('CN='));
  const serial = names.length === 1 ? names[0]?.slice('CN='.length) : undefined;
  if (isReaderSerial(serial)) return serial;
  throw new Error(`${file}: its common name is not a reader serial (1 to 64 of A-Z a-z 0-9 . _ -)`);
}
