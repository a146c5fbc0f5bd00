import type { IdentityWish, IssuedIdentity } from '../features/readers/provision-routes.ts';
import type { Authority } from '../pki/authority.ts';
import { identityTexts } from '../pki/identity.ts';

/** What issues identities for REST: nothing of them is written anywhere, whoever asked gets the files. */
export function identityIssuer(authority: Authority): (wish: IdentityWish) => Promise<IssuedIdentity> {
  return async ({ serial, user, password, now }) => {
    const { certPem, keyPem, ...certificate } = await authority.issueClient({ commonName: serial, now });
    const files = identityTexts({ caPem: authority.caCertPem, certPem, keyPem, user, password });
    return { certificate, files };
  };
}
