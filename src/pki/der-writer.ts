import forge from 'node-forge';

const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  context: 0xa0,
} as const;

/** UTCTime has two digits for the year: certificates and lists change to the long form in 2050 (RFC 5280, 4.1.2.5). */
const LONG_YEARS_FROM = 2050;

/** A sequence of values that are DER already. */
export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tagged(tags.sequence, Buffer.concat(parts));
}

/** A whole number that is not negative, or the bytes of one, most significant first. */
export function integer(value: number | Uint8Array): Buffer {
  const bytes = typeof value === 'number' ? bytesOf(value) : Buffer.from(value);
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.of(0) : bytes.subarray(first);
  // A first bit that is set would make it negative.
  const sign = digits.readUInt8(0) >= 0x80 ? Buffer.of(0) : Buffer.alloc(0);
  return tagged(tags.integer, Buffer.concat([sign, digits]));
}

/** An object identifier, from its dotted text. */
export function objectIdentifier(dotted: string): Buffer {
  return tagged(tags.oid, Buffer.from(forge.asn1.oidToDer(dotted).getBytes(), 'latin1'));
}

/** Bytes. */
export function octetString(bytes: Uint8Array): Buffer {
  return tagged(tags.octetString, bytes);
}

/** Whole bytes as a bit string. */
export function bitString(bytes: Uint8Array): Buffer {
  return tagged(tags.bitString, Buffer.concat([Buffer.of(0), bytes]));
}

/** The absent parameters of an algorithm. */
export function nullValue(): Buffer {
  return tagged(tags.null, Buffer.alloc(0));
}

/** A time (milliseconds since 1970, cut to whole seconds) in the form RFC 5280 has for its year. */
export function time(at: number): Buffer {
  const digits = new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  const isLong = Number(digits.slice(0, 4)) >= LONG_YEARS_FROM;
  return tagged(isLong ? tags.generalizedTime : tags.utcTime, Buffer.from(isLong ? digits : digits.slice(2)));
}

/** A value under a context tag of its own, as `[0] EXPLICIT` has it. */
export function explicit(number: number, value: Uint8Array): Buffer {
  return tagged(tags.context + number, value);
}

/** The same without the tag of the value itself: bytes under `[0] IMPLICIT`. */
export function implicit(number: number, bytes: Uint8Array): Buffer {
  return tagged((tags.context & ~0x20) + number, bytes);
}

/** DER as PEM, 64 characters a line. `label` is what stands between BEGIN and the dashes. */
export function pemOf(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

function tagged(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const lengthBytes = bytesOf(length);
  return Buffer.concat([Buffer.of(tag, 0x80 | lengthBytes.length), lengthBytes, content]);
}

function bytesOf(value: number): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}
