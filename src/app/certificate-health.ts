import { isInService } from '../domain/device.ts';
import { formatInstant } from '../lib/instant.ts';
import { Pace } from '../lib/pace.ts';
import {
  allCertificates,
  CERTIFICATE_SOON_MS,
  type CertificateState,
  certificateState,
  currentCertificate,
  daysLeft,
  type ListedCertificate,
  WEB_CERTIFICATE_SOON_MS,
} from '../store/certificates.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';

/** Counting 10,000 certificates takes some milliseconds: not at every scrape. */
const KEPT_MS = 60_000;

/** The appliance's own certificates; ends in epoch ms. */
export interface OwnCertificates {
  readonly caNotAfter: number;
  readonly serverNotAfter: number;
  /** Of the operator's own certificate for HTTPS (`https.certFile`); null when HTTPS shows the appliance's. */
  readonly webNotAfter: number | null;
}

/** How the readers' certificates stand. */
export interface ReaderCertificates {
  readonly byState: Readonly<Record<CertificateState, number>>;
  /**
   * When the first reader is left without a certificate (epoch ms): the soonest end of those that count, of
   * readers in service. Null without any.
   */
  readonly soonestEnd: number | null;
}

/** What `/metrics` shows of certificates. */
export interface CertificateHealth extends OwnCertificates {
  readers(): Promise<ReaderCertificates>;
}

export interface CertificateHealthOptions extends OwnCertificates {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Counts the readers' certificates when asked: again when one changed, and once a minute as time goes on. */
export function createCertificateHealth(options: CertificateHealthOptions): CertificateHealth {
  const { store, now, caNotAfter } = options;
  let counted: Counted | null = null;
  return {
    caNotAfter,
    // Renewed while the appliance runs.
    get serverNotAfter() {
      return options.serverNotAfter;
    },
    get webNotAfter() {
      return options.webNotAfter;
    },
    readers() {
      const version = store.directoryVersion();
      const at = now();
      if (counted?.version !== version || Math.abs(at - counted.at) >= KEPT_MS)
        counted = { version, at, answer: countCertificates(store, at) };
      // What failed is counted anew the next time.
      counted.answer.catch(() => {
        counted = null;
      });
      return counted.answer;
    },
  };
}

interface Counted {
  /** Of the directory. */
  readonly version: number;
  readonly at: number;
  readonly answer: Promise<ReaderCertificates>;
}

/**
 * One line for each certificate the appliance shows that ends soon, for the log: its own within 90 days, the operator's
 * within 30, because the usual ones live no longer than 90. `now` is epoch ms.
 */
export function expiryWarnings(
  { caNotAfter, serverNotAfter, webNotAfter }: OwnCertificates,
  now: number,
): readonly string[] {
  const isSoon = (notAfter: number) => notAfter - now <= CERTIFICATE_SOON_MS;
  const isWebSoon = webNotAfter !== null && webNotAfter - now <= WEB_CERTIFICATE_SOON_MS;
  const ends = (what: string, at: number) =>
    `${what} ends on ${formatInstant(at)} (${daysLeft(at, now)} days left)`;
  return [
    ...(isSoon(caNotAfter)
      ? [`${ends("the authority's certificate", caNotAfter)}; every reader then needs a new identity`]
      : []),
    ...(isSoon(serverNotAfter)
      ? [`${ends("the appliance's own certificate", serverNotAfter)}; it is renewed in its last 60 days`]
      : []),
    ...(isWebSoon
      ? [
          `${ends('the certificate in https.certFile', webNotAfter)}; put a new one and its key in place, no restart needed`,
        ]
      : []),
  ];
}

async function countCertificates(store: Store, now: number): Promise<ReaderCertificates> {
  const byState = { valid: 0, expiring: 0, expired: 0, revoked: 0, superseded: 0 };
  let soonestEnd: number | null = null;
  const pace = new Pace();
  for (const group of (await groups(store)).values()) {
    const current = currentCertificate(group);
    for (const one of group) byState[stateAmong(one, current, now)]++;
    const device = current && store.get(tables.devices, current.serial);
    if (current && device && isInService(device))
      soonestEnd = Math.min(soonestEnd ?? Number.POSITIVE_INFINITY, current.notAfter);
    if (pace.due) await pace.pause();
  }
  return { byState, soonestEnd };
}

/** By the serial of the reader. */
async function groups(store: Store): Promise<ReadonlyMap<string, readonly ListedCertificate[]>> {
  const grouped = new Map<string, ListedCertificate[]>();
  for await (const one of allCertificates(store)) {
    const group = grouped.get(one.serial);
    if (group) group.push(one);
    else grouped.set(one.serial, [one]);
  }
  return grouped;
}

function stateAmong(
  one: ListedCertificate,
  current: ListedCertificate | undefined,
  now: number,
): CertificateState {
  const state = certificateState(one, now);
  return state === 'revoked' || one === current ? state : 'superseded';
}
