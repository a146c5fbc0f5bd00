/** Reads a stream of chunks of any size in pieces of the size wanted. It holds one chunk, and what one `read` asks for. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  /** Bytes handed out so far. */
  position = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Exactly `size` bytes, in memory of their own; fewer only where the stream ends. */
  async read(size: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(size);
    let filled = 0;
    for await (const part of this.take(size)) {
      bytes.set(part, filled);
      filled += part.length;
    }
    return bytes.subarray(0, filled);
  }

  /** The next `size` bytes as they come; fewer only where the stream ends. What is taken must be used up in order. */
  async *take(size: number): AsyncGenerator<Uint8Array> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#fill())) return;
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      this.position += part.length;
      left -= part.length;
      yield part;
    }
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return false;
      this.#rest = next.value;
    }
    return true;
  }
}
