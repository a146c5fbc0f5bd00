import type { MinimalLogger } from '../http/options.ts';
import type { Authority } from '../pki/authority.ts';
import type { ServerCertificate } from '../pki/server-certificate.ts';
import type { SweepTask } from '../sweep/sweeper.ts';
import { ownCertificateRenewal } from './own-certificate.ts';
import type { WebCertificate, WebCertificateFiles } from './web-certificate.ts';
import { watchWebCertificate } from './web-certificate-watch.ts';

/** Renewal writes two files; a look in between is made again soon. */
const LOOK_EVERY_MS = 10_000;
const RENEW_EVERY_MS = 60_000;
const WARN_EVERY_MS = 86_400_000;

export interface CertificateTasksOptions {
  readonly authority: Pick<Authority, 'ensureServer'>;
  /** `mqtts.hostnames`. */
  readonly hostnames: readonly string[];
  /** Epoch ms. */
  readonly now: () => number;
  /** False: the clock was set lately; nothing is issued by it that can wait. */
  readonly isSteady: () => boolean;
  /** Whether the appliance's own certificate is valid now, by this clock. */
  readonly isNotYetValid: () => boolean;
  /** The operator's own certificate for HTTPS, and where it comes from; null: HTTPS shows the appliance's own. */
  readonly given: { readonly current: WebCertificate; readonly files: WebCertificateFiles } | null;
  /** Takes a new certificate of the appliance's own. */
  readonly onRenewed: (certificate: ServerCertificate) => void;
  /** Gives HTTPS another certificate; throws when TLS refuses it. */
  readonly replaceWeb: (certificate: WebCertificate) => void;
  /** Lines about certificates that end soon, as they stand now; told once a day. */
  readonly warnings: () => readonly string[];
  readonly log: Pick<MinimalLogger, 'info' | 'warn'>;
}

/** What keeps the certificates that are shown to readers and people valid without a restart. */
export function certificateTasks(options: CertificateTasksOptions): readonly SweepTask[] {
  const { authority, hostnames, now, isSteady, isNotYetValid, given, onRenewed, replaceWeb, log } = options;
  const use = (made: ServerCertificate): void => {
    onRenewed(made);
    if (!given) replaceWeb({ cert: made.chainPem, key: made.keyPem });
  };
  const own = ownCertificateRenewal({ authority, hostnames, now, use, log });
  const renewal = {
    name: 'own certificate',
    everyMs: RENEW_EVERY_MS,
    // One made by a clock that was ahead locks everybody out once the clock is right: that can't wait.
    run: () => (isSteady() || isNotYetValid() ? own.run() : undefined),
  };
  const soon = { name: 'certificates that end soon', everyMs: LOOK_EVERY_MS, run: warner(options) };
  if (!given) return [renewal, soon];
  const watch = watchWebCertificate({ ...given, use: replaceWeb, log });
  return [renewal, soon, { name: 'HTTPS certificate', everyMs: LOOK_EVERY_MS, run: () => watch.run() }];
}

/** A sweep of a day would tell a clock that jumps as little as a box that is restarted every night. */
function warner({ warnings, now, log }: CertificateTasksOptions): () => void {
  // The start has told.
  let toldAt = now();
  return () => {
    const at = now();
    if (Math.abs(at - toldAt) < WARN_EVERY_MS) return;
    toldAt = at;
    for (const warning of warnings()) log.warn({}, warning);
  };
}
