import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { certFiles } from '../pki/ca-files.ts';
import { isEncryptedKey, readCaKey } from '../pki/ca-key.ts';
import { readPassphrase } from '../pki/passphrase.ts';
import { readSmallFile } from '../pki/private-file.ts';
import { BackupError } from './backup-error.ts';

const ID_DIGITS = 8;

/**
 * Checks the authority in a folder of certificates: key and certificate belong together, and the appliance's own
 * certificate was issued by it. Answers what could not be checked or is worth knowing, a line each. An encrypted key is
 * opened only with `passphraseFile`. Throws `BackupError` or `PkiError`.
 */
export async function checkAuthority(dir: string, passphraseFile: string | null): Promise<readonly string[]> {
  const [keyPem, certPem] = [await textOf(dir, certFiles.caKey), await textOf(dir, certFiles.caCert)];
  const certificate = certificateIn(certPem, certFiles.caCert);
  const warnings = await serverWarnings(dir, certificate);
  if (isEncryptedKey(keyPem) && passphraseFile === null)
    return [
      ...warnings,
      `${certFiles.caKey} is encrypted and was not opened: its passphrase is in no backup, name its file in pki.passphraseFile`,
    ];
  const passphrase = passphraseFile === null ? null : await readPassphrase(passphraseFile);
  if (certificate.checkPrivateKey(readCaKey(keyPem, certFiles.caKey, passphrase))) return warnings;
  throw new BackupError(`${certFiles.caKey} and ${certFiles.caCert} do not belong together`);
}

/**
 * Names an appliance among others in eight hex digits, the first of its authority's certificate's SHA-256. It stays the same
 * on a box restored from a backup, and changes with a new authority. Throws `BackupError` or `PkiError`.
 */
export async function authorityId(dir: string): Promise<string> {
  const { fingerprint256 } = certificateIn(await textOf(dir, certFiles.caCert), certFiles.caCert);
  return fingerprint256.replaceAll(':', '').slice(0, ID_DIGITS).toLowerCase();
}

/** Not refused: a start makes this certificate anew when it is not right. */
async function serverWarnings(dir: string, authority: X509Certificate): Promise<readonly string[]> {
  const pem = await readSmallFile(join(dir, certFiles.serverCert));
  if (pem === null || certificateIn(pem, certFiles.serverCert).verify(authority.publicKey)) return [];
  return [`${certFiles.serverCert} was not issued by ${certFiles.caCert}; the next start makes it anew`];
}

async function textOf(dir: string, name: string): Promise<string> {
  const text = await readSmallFile(join(dir, name));
  if (text !== null) return text;
  throw new BackupError(`${name} is missing, without which no reader would know the appliance again`);
}

function certificateIn(pem: string, name: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new BackupError(`${name} is not a certificate in PEM`);
  }
}
