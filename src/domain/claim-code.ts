/** Crockford's 32 characters: none of them is mistaken for another when read from a label. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PREFIX = 'TK';
const DIGITS = 12;
const CANONICAL = new RegExp(`^${PREFIX}[${ALPHABET}]{${DIGITS}}$`);

/** A claim code as it is kept (`TK3F8K…`, no dashes) and as it is printed (`TK-3F8K-…`). */
export interface ClaimCode {
  readonly canonical: string;
  readonly shown: string;
}

/** A new code with 60 random bits. `random` gives as many unpredictable bytes as asked for. */
export function makeClaimCode(random: (bytes: number) => Uint8Array): ClaimCode {
  // 32 divides 256: every character is equally likely.
  const digits = Array.from(random(DIGITS), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
  const groups = digits.match(/.{4}/g) ?? [];
  return { canonical: `${PREFIX}${digits}`, shown: [PREFIX, ...groups].join('-') };
}

/**
 * The code in the form it is kept, or null when it can't be one. Case, dashes and blanks don't matter; letters the alphabet
 * leaves out are read as the digits they look like (I and L as 1, O as 0).
 */
export function parseClaimCode(text: string): string | null {
  const plain = text.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
  const digits = plain.slice(PREFIX.length).replace(/[IL]/g, '1').replace(/O/g, '0');
  const code = plain.slice(0, PREFIX.length) + digits;
  return CANONICAL.test(code) ? code : null;
}
