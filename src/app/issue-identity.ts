import type { Authority } from '../pki/authority.ts';
import { stageIdentity } from '../pki/identity.ts';
import { recordCertificate } from '../store/certificates.ts';
import type { Store, Tx } from '../store/store.ts';

/** Whose identity is to be issued, and where its four files go. */
export interface IssueRequest {
  readonly serial: string;
  readonly keyType: 'rsa' | 'ecdsa';
  readonly dir: string;
  /** Credentials of the reader's local REST interface, for its agent. */
  readonly readerUser: string;
  readonly readerPassword: string;
  /** Epoch ms. */
  readonly now: number;
}

/** A certificate just issued; times are epoch ms. */
export interface NewCertificate {
  readonly serialNumber: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** What came of it: the paths of the files, the certificate, and what the caller's own part of the write answered. */
export interface IssuedIdentity<T> {
  readonly files: readonly string[];
  readonly certificate: NewCertificate;
  readonly result: T;
}

/**
 * Issues a certificate and writes the identity files; `alongside` runs in the transaction that records the certificate.
 * The files are on disk before the certificate is on record, and take their place after: neither is lost to the other.
 */
export async function issueIdentity<T>(
  { store, authority }: { readonly store: Store; readonly authority: Authority },
  request: IssueRequest,
  alongside: (tx: Tx, certificate: NewCertificate) => T,
): Promise<IssuedIdentity<T>> {
  const { serial, keyType, dir, now } = request;
  const issued = await authority.issueClient({ commonName: serial, keyType, now });
  const { serialNumber, notBefore, notAfter, certPem, keyPem } = issued;
  const credentials = { user: request.readerUser, password: request.readerPassword };
  const staged = await stageIdentity({ dir, caPem: authority.caCertPem, certPem, keyPem, ...credentials });
  const certificate = { serialNumber, notBefore, notAfter };
  try {
    const result = await store.write((tx) => {
      recordCertificate(tx, serial, issued);
      return alongside(tx, certificate);
    });
    await staged.commit();
    return { files: staged.paths, certificate, result };
  } finally {
    await staged.drop();
  }
}
