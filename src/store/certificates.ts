import { inSlices } from './in-slices.ts';
import type { CertificateRecord } from './records.ts';
import type { Entry, Reading, Tx } from './store.ts';
import { tables } from './tables.ts';

const DAY_MS = 86_400_000;

/** How long before its end a certificate is worth a word: 90 days, in milliseconds. */
export const CERTIFICATE_SOON_MS = 90 * DAY_MS;

/** The same for the operator's own HTTPS certificate, of which many live for 90 days only: 30 days, in milliseconds. */
export const WEB_CERTIFICATE_SOON_MS = 30 * DAY_MS;

/** A certificate on record with its serial number (upper-case hex). */
export interface ListedCertificate extends CertificateRecord {
  readonly serialNumber: string;
}

/** `expiring` ends within 90 days; `superseded` is none of the others, but the same reader has one that ends later. */
export type CertificateState = 'valid' | 'expiring' | 'expired' | 'revoked' | 'superseded';

/** How a certificate stands by itself: never `superseded`. `now` is epoch ms. */
export function certificateState(
  { revokedAt, notAfter }: Pick<CertificateRecord, 'revokedAt' | 'notAfter'>,
  now: number,
): Exclude<CertificateState, 'superseded'> {
  if (revokedAt !== null) return 'revoked';
  if (notAfter <= now) return 'expired';
  return notAfter - now <= CERTIFICATE_SOON_MS ? 'expiring' : 'valid';
}

/** Whole days until a certificate ends, a part of a day not counted; negative once it has ended. */
export function daysLeft(notAfter: number, now: number): number {
  return Math.floor((notAfter - now) / DAY_MS);
}

/** The certificate that counts for a reader: of those not revoked the one that ends last; undefined without one. */
export function currentCertificate(
  certificates: readonly ListedCertificate[],
): ListedCertificate | undefined {
  return certificates
    .filter(({ revokedAt }) => revokedAt === null)
    .reduce<ListedCertificate | undefined>(
      (best, one) => (best === undefined || one.notAfter > best.notAfter ? one : best),
      undefined,
    );
}

/** Every certificate on record for a reader's serial, revoked ones too. Reads the whole table. */
export function certificatesOf(reading: Reading, serial: string): readonly ListedCertificate[] {
  const found = Array.from(reading.range(tables.certificates), listed);
  return found.filter((one) => one.serial === serial);
}

/** What was just issued, as the authority tells it. Times are epoch ms. */
export interface IssuedRecord extends Omit<CertificateRecord, 'serial' | 'revokedAt'> {
  readonly serialNumber: string;
}

/** Puts a certificate that was just issued for a reader's serial on record: the broker takes it from then on. */
export function recordCertificate(tx: Tx, serial: string, issued: IssuedRecord): void {
  const { serialNumber, fingerprint256, notBefore, notAfter } = issued;
  tx.put(tables.certificates, serialNumber, { serial, fingerprint256, notBefore, notAfter, revokedAt: null });
}

/** Every certificate on record, by the serial of its reader. For the command line: it reads the whole table at once. */
export function certificatesBySerial(reading: Reading): ReadonlyMap<string, readonly ListedCertificate[]> {
  const grouped = new Map<string, ListedCertificate[]>();
  for (const entry of reading.range(tables.certificates)) {
    const group = grouped.get(entry.value.serial);
    if (group) group.push(listed(entry));
    else grouped.set(entry.value.serial, [listed(entry)]);
  }
  return grouped;
}

/** Every certificate on record, read in slices with everything else let run in between. */
export async function* allCertificates(reading: Pick<Reading, 'range'>): AsyncGenerator<ListedCertificate> {
  for await (const entry of inSlices(reading, tables.certificates)) yield listed(entry);
}

/**
 * Revokes a reader's certificates, but for `except`: from the moment this is on disk the broker refuses them at the next
 * connection, resumed TLS sessions too (interface "Authentication" 8). Answers the serial numbers of those that were not
 * revoked before.
 */
export function revokeCertificates(
  tx: Tx,
  serial: string,
  { now, except }: { readonly now: number; readonly except?: string },
): readonly string[] {
  const toRevoke = certificatesOf(tx, serial).filter(
    ({ revokedAt, serialNumber }) => revokedAt === null && serialNumber !== except,
  );
  for (const { serialNumber, ...record } of toRevoke)
    tx.put(tables.certificates, serialNumber, { ...record, revokedAt: now });
  return toRevoke.map(({ serialNumber }) => serialNumber);
}

/**
 * The number of the next revocation list: higher than any before, also after a clock was set back (by the counter) and
 * after an old backup was restored (by the clock, in seconds).
 */
export function nextRevocationListNo(tx: Tx, now: number): number {
  const number = Math.max((tx.get(tables.meta, 'lastRevocationListNo') ?? 0) + 1, Math.floor(now / 1000));
  tx.put(tables.meta, 'lastRevocationListNo', number);
  return number;
}

function listed({ key, value }: Entry<string, CertificateRecord>): ListedCertificate {
  return { serialNumber: key, ...value };
}
