import { type KeyObject, sign, type X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { Pace } from '../lib/pace.ts';
import { subjectDer, subjectKeyIdentifierOf } from './der.ts';
import {
  bitString,
  explicit,
  implicit,
  integer,
  nullValue,
  objectIdentifier,
  octetString,
  sequence,
  time,
} from './der-writer.ts';

const signAsync = promisify(sign);

const oids = {
  sha256WithRsa: '1.2.840.113549.1.1.11',
  authorityKeyIdentifier: '2.5.29.35',
  crlNumber: '2.5.29.20',
} as const;

/** Version 2 of the format: the one with extensions. */
const VERSION = 1;

/** A certificate that is revoked, and since when (milliseconds since 1970). */
export interface RevokedCertificate {
  /** Upper-case hex, as `IssuedCertificate` has it. */
  readonly serialNumber: string;
  readonly revokedAt: number;
}

/** What a revocation list says. Times are milliseconds since 1970, cut to whole seconds. */
export interface RevocationListContent {
  readonly revoked: readonly RevokedCertificate[];
  /** Higher than that of every list before: whole, not negative, below 2^53. */
  readonly number: number;
  readonly thisUpdate: number;
  /** When a newer list has to be there at the latest. */
  readonly nextUpdate: number;
}

/** Who signs: the authority's RSA key and certificate. */
export interface RevocationListIssuer {
  readonly privateKey: KeyObject;
  readonly certificate: X509Certificate;
}

/**
 * A certificate revocation list (RFC 5280, version 2) in DER, signed with SHA-256 and RSA. A long list is put together in
 * slices and signed off the event loop.
 */
export async function makeRevocationList(
  content: RevocationListContent,
  { privateKey, certificate }: RevocationListIssuer,
): Promise<Buffer> {
  const algorithm = sequence(objectIdentifier(oids.sha256WithRsa), nullValue());
  const entries = await entriesOf(content.revoked);
  const signed = sequence(
    integer(VERSION),
    algorithm,
    subjectDer(certificate),
    time(content.thisUpdate),
    time(content.nextUpdate),
    // The standard wants no list at all where it would be empty.
    ...(entries.length === 0 ? [] : [sequence(Buffer.concat(entries))]),
    explicit(0, sequence(...extensionsOf(content, certificate))),
  );
  return sequence(signed, algorithm, bitString(await signAsync('sha256', signed, privateKey)));
}

async function entriesOf(revoked: readonly RevokedCertificate[]): Promise<readonly Buffer[]> {
  const pace = new Pace();
  const entries: Buffer[] = [];
  for (const { serialNumber, revokedAt } of revoked) {
    entries.push(sequence(integer(Buffer.from(serialNumber, 'hex')), time(revokedAt)));
    if (pace.due) await pace.pause();
  }
  return entries;
}

function extensionsOf({ number }: RevocationListContent, certificate: X509Certificate): readonly Buffer[] {
  const crlNumber = extension(oids.crlNumber, integer(number));
  const keyId = subjectKeyIdentifierOf(certificate);
  if (keyId === null) return [crlNumber];
  const authority = sequence(implicit(0, Buffer.from(keyId, 'latin1')));
  return [extension(oids.authorityKeyIdentifier, authority), crlNumber];
}

function extension(oid: string, value: Buffer): Buffer {
  return sequence(objectIdentifier(oid), octetString(value));
}
