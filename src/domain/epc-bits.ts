/** Why the bits are no EPC of their scheme, in words that follow the scheme's name. */
export class UnreadableEpc extends Error {
  override readonly name = 'UnreadableEpc';
}

/** What a serial number in 7-bit characters may consist of: the 82 characters of GS1 element strings. */
const GS1_TEXT = /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]+$/;
const CHARACTER_BITS = 7;

/** The bits of an EPC, taken from the front. Every `take…` throws `UnreadableEpc` for what its field cannot hold. */
export class EpcBits {
  readonly #value: bigint;
  #left: number;

  /** `hex`: digits only, at least one. */
  constructor(hex: string) {
    this.#value = BigInt(`0x${hex}`);
    this.#left = hex.length * 4;
  }

  take(bits: number): bigint {
    if (bits > this.#left) throw new UnreadableEpc('it ends too early');
    this.#left -= bits;
    return (this.#value >> BigInt(this.#left)) & ((1n << BigInt(bits)) - 1n);
  }

  /** A number of exactly so many decimal digits, with its leading zeros. Without digits the bits have to be zero. */
  takeDigits(bits: number, digits: number, what: string): string {
    const text = String(this.take(bits));
    if (digits === 0 && text === '0') return '';
    if (text.length > digits) throw new UnreadableEpc(`the ${what} is ${text}, more than ${digits} digits`);
    return text.padStart(digits, '0');
  }

  /** A text of 7-bit characters, filled up with zeros. */
  takeText(bits: number, maxCharacters: number, what: string): string {
    let text = '';
    let rest = bits;
    for (; rest >= CHARACTER_BITS; rest -= CHARACTER_BITS) {
      const code = Number(this.take(CHARACTER_BITS));
      if (code === 0) break;
      text += String.fromCharCode(code);
    }
    if (rest >= CHARACTER_BITS) rest -= CHARACTER_BITS;
    if (this.take(rest) !== 0n) throw new UnreadableEpc(`the ${what} goes on after its end`);
    if (text === '') throw new UnreadableEpc(`the ${what} is empty`);
    if (text.length > maxCharacters)
      throw new UnreadableEpc(`the ${what} has more than ${maxCharacters} characters`);
    if (!GS1_TEXT.test(text)) throw new UnreadableEpc(`the ${what} has characters that GS1 does not know`);
    return text;
  }

  /** Everything that is left, which has to be zero. */
  takeZeros(): void {
    if (this.take(this.#left) !== 0n) throw new UnreadableEpc('there is something behind its end');
  }
}
