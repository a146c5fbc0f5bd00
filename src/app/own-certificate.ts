import type { MinimalLogger } from '../http/options.ts';
import { formatInstant } from '../lib/instant.ts';
import type { Authority } from '../pki/authority.ts';
import { hostNames } from '../pki/host-names.ts';
import type { ServerCertificate } from '../pki/server-certificate.ts';

export interface OwnCertificateOptions {
  readonly authority: Pick<Authority, 'ensureServer'>;
  /** `mqtts.hostnames`. */
  readonly hostnames: readonly string[];
  /** Epoch ms. */
  readonly now: () => number;
  /** Takes a new one; not called while the one in use still serves. */
  readonly use: (certificate: ServerCertificate) => void;
  readonly log: Pick<MinimalLogger, 'info'>;
}

/**
 * Renews the appliance's own server certificate while it runs: in its last 60 days, and when the names or addresses of the
 * box changed. `run` is for every minute; it rejects when the certificates' folder can't be written.
 */
export function ownCertificateRenewal(options: OwnCertificateOptions): { readonly run: () => Promise<void> } {
  const { authority, hostnames, now, use, log } = options;
  return {
    run: async () => {
      const made = await authority.ensureServer({ ...hostNames(hostnames), now: now() });
      if (made.issuedBecause === null) return;
      use(made);
      const ends = formatInstant(made.notAfter);
      log.info({}, `the appliance's own certificate is new (${made.issuedBecause}); it ends on ${ends}`);
    },
  };
}
