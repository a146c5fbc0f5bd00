import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** What HTTPS presents, as PEM texts. */
export interface WebCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate of the operator's that HTTPS can't use. The message is one line that names the option and the file. */
class WebCertificateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebCertificateError';
  }
}

/**
 * The certificate and key that `https.certFile` and `https.keyFile` name, checked to belong together; null when the
 * appliance's own are used. Throws `WebCertificateError`.
 */
export function readWebCertificate(https: {
  readonly certFile: string | null;
  readonly keyFile: string | null;
}): WebCertificate | null {
  if (https.certFile === null || https.keyFile === null) return null;
  const cert = readPem('https.certFile', https.certFile);
  const key = readPem('https.keyFile', https.keyFile);
  usable(`https.certFile: ${https.certFile} is no certificate in PEM`, { cert });
  usable(`https.keyFile: ${https.keyFile} is no private key in PEM without a passphrase`, { key });
  usable(`https.keyFile: ${https.keyFile} does not belong to ${https.certFile}`, { cert, key });
  return { cert, key };
}

function readPem(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new WebCertificateError(
      `${option}: ${file} can't be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function usable(fault: string, parts: { readonly cert?: string; readonly key?: string }): void {
  try {
    createSecureContext(parts);
  } catch {
    throw new WebCertificateError(fault);
  }
}
