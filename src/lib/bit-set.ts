/** A set of whole numbers from 0 on, one bit each; grows with the highest. */
export class BitSet {
  #bytes = new Uint8Array(1024);

  add(value: number): void {
    const index = value >>> 3;
    if (index >= this.#bytes.length) this.#grow(index + 1);
    this.#bytes[index] = (this.#bytes[index] ?? 0) | (1 << (value & 7));
  }

  delete(value: number): void {
    const index = value >>> 3;
    if (index < this.#bytes.length) this.#bytes[index] = (this.#bytes[index] ?? 0) & ~(1 << (value & 7));
  }

  has(value: number): boolean {
    return ((this.#bytes[value >>> 3] ?? 0) & (1 << (value & 7))) !== 0;
  }

  #grow(atLeast: number): void {
    const grown = new Uint8Array(Math.max(atLeast, this.#bytes.length * 2));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
