import { builtInLicence, type LicenceClaims, unverifiedLicence } from '../domain/licence.ts';
import { Refused } from '../domain/refusal.ts';
import { formatInstant } from '../lib/instant.ts';
import { readLicenceToken } from './licence-token.ts';
import { ofOrg } from './of-org.ts';
import type { Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

interface Known {
  readonly token: string;
  readonly claims: LicenceClaims;
}

/**
 * The licences of the organisations. The store is asked every time, so that what another process installs counts at once;
 * the signature is checked once for each token.
 */
export class Licences {
  readonly #publicKey: string | null;
  readonly #known = new Map<string, Known>();

  /** `publicKey`: the vendor's Ed25519 key, PEM; null = no token can be checked. */
  constructor(publicKey: string | null) {
    this.#publicKey = publicKey;
  }

  /** What the organisation's licence grants: the installed token's, else the built-in edition's. */
  of(reading: Reading, orgId: string): LicenceClaims {
    const token = reading.get(tables.licences, orgId)?.token;
    if (token === undefined) return builtInLicence;
    const known = this.#known.get(orgId);
    if (known?.token === token) return known.claims;
    const claims = this.#readInstalled(token);
    this.#known.set(orgId, { token, claims });
    return claims;
  }

  /** The claims of a token that is to be installed; blanks around it don't matter. Throws `licence-invalid`. */
  check(text: string): { readonly token: string; readonly claims: LicenceClaims } {
    const token = text.trim();
    return { token, claims: readLicenceToken(token, this.#publicKey) };
  }

  /** It was checked when it was installed, so it is the configuration that changed; writes wait until one fits the other. */
  #readInstalled(token: string): LicenceClaims {
    try {
      return readLicenceToken(token, this.#publicKey);
    } catch (error) {
      if (error instanceof Refused) return unverifiedLicence(error.message);
      throw error;
    }
  }
}

/** Installs a token that was checked; answers what the audit log is to say of it, which is never the token. */
export function installLicence(
  tx: Tx,
  orgId: string,
  { token, claims, now }: { readonly token: string; readonly claims: LicenceClaims; readonly now: number },
): { readonly action: string; readonly resource: string; readonly after: object } {
  tx.put(tables.licences, orgId, { token, installedAt: now });
  const { expiresAt, ...after } = claims;
  const ends = expiresAt === null ? null : formatInstant(expiresAt);
  return { action: 'install', resource: 'license', after: { ...after, expiresAt: ends } };
}

/** How many readers an organisation has now. */
export function readerCount(reading: Reading, orgId: string): number {
  return ofOrg(reading, tables.readers, orgId).length;
}

/** How many sites an organisation has now. */
export function siteCount(reading: Reading, orgId: string): number {
  return ofOrg(reading, tables.sites, orgId).length;
}
