import type { Page } from '../../http/page.ts';
import type { RevocationLists } from './revocation-lists.ts';

export interface PkiPagesOptions {
  /** The authority's certificate, PEM. */
  readonly caCertPem: string;
  readonly revocationLists: Pick<RevocationLists, 'current'>;
}

/** Whoever relies on a list wants the newest. */
const cacheControl = 'no-cache';

/**
 * What anybody may know of the authority, without logging in: `/pki/ca.crt`, its certificate as PEM (what curl, readers
 * and the identity files take), and `/pki/ca.crl`, the certificates it has revoked, as DER (RFC 5280). Null: another path.
 * The list is made only when it is served. Whoever fetches the certificate over a connection not yet trusted compares its
 * fingerprint.
 */
export function pkiPages({
  caCertPem,
  revocationLists,
}: PkiPagesOptions): (path: string) => Page | (() => Promise<Page>) | null {
  const certificate: Page = { body: caCertPem, contentType: 'application/x-x509-ca-cert', cacheControl };
  return (path) => {
    if (path === '/pki/ca.crt') return certificate;
    return path === '/pki/ca.crl' ? () => revocationPage(revocationLists) : null;
  };
}

async function revocationPage(lists: PkiPagesOptions['revocationLists']): Promise<Page> {
  return { body: await lists.current(), contentType: 'application/pkix-crl', cacheControl };
}
