import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** What HTTPS presents, as PEM texts. */
export interface WebCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The files of the operator's own certificate. */
export interface WebCertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate of the operator's that HTTPS can't use. The message is one line that names the option and the file. */
export class WebCertificateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebCertificateError';
  }
}

const FILE_MAX_BYTES = 1_000_000;

/**
 * The certificate and key that `https.certFile` and `https.keyFile` name, checked to belong together; null when the
 * appliance's own are used. Throws `WebCertificateError`.
 */
export function readWebCertificate(https: {
  readonly certFile: string | null;
  readonly keyFile: string | null;
}): WebCertificate | null {
  if (https.certFile === null || https.keyFile === null) return null;
  const files = { certFile: https.certFile, keyFile: https.keyFile };
  const found = readPair(files);
  checkPair(files, found);
  return found;
}

/** Both files as they are. Throws `WebCertificateError` when one can't be read or is no text of a sensible size. */
export function readPair({ certFile, keyFile }: WebCertificateFiles): WebCertificate {
  return { cert: readPem('https.certFile', certFile), key: readPem('https.keyFile', keyFile) };
}

/** Throws `WebCertificateError` unless both are PEM that HTTPS can use and belong together. */
export function checkPair({ certFile, keyFile }: WebCertificateFiles, { cert, key }: WebCertificate): void {
  usable(`https.certFile: ${certFile} is no certificate in PEM`, { cert });
  usable(`https.keyFile: ${keyFile} is no private key in PEM without a passphrase`, { key });
  usable(`https.keyFile: ${keyFile} does not belong to ${certFile}`, { cert, key });
}

/** When the first certificate of a chain that was checked ends, epoch ms. */
export function endOf({ cert }: WebCertificate): number {
  return Date.parse(new X509Certificate(cert).validTo);
}

function readPem(option: string, file: string): string {
  try {
    // Reading a pipe would wait for ever, and everything with it.
    if (!statSync(file).isFile()) throw new Error('it is not a file');
    const text = readFileSync(file, 'utf8');
    if (text.length <= FILE_MAX_BYTES) return text;
  } catch (error) {
    throw new WebCertificateError(
      `${option}: ${file} can't be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  throw new WebCertificateError(`${option}: ${file} is longer than a megabyte`);
}

function usable(fault: string, parts: { readonly cert?: string; readonly key?: string }): void {
  // An empty text would count as left out.
  if (Object.values(parts).includes('')) throw new WebCertificateError(fault);
  try {
    createSecureContext(parts);
  } catch {
    throw new WebCertificateError(fault);
  }
}
