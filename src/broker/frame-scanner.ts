const PUBLISH = 3;
const LENGTH_BYTES_MAX = 4;

export interface FrameLimits {
  readonly messageMaxBytes: number;
  readonly controlMaxBytes: number;
}

/**
 * Follows the fixed headers of a stream of MQTT packets without copying or keeping a byte of it, so that a
 * packet's size is known before anything is buffered. What the bytes mean is left to the parser behind it.
 */
export class FrameScanner {
  readonly #limits: FrameLimits;
  /** Bytes of the current packet still to come after its header. */
  #body = 0;
  #inLength = false;
  #limit = 0;
  #length = 0;
  #factor = 1;
  #lengthBytes = 0;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** Whether the next byte begins a packet. */
  get isBetween(): boolean {
    return this.#body === 0 && !this.#inLength;
  }

  /**
   * Takes the next bytes. False as soon as a header announces a packet over its limit; the scanner is of no
   * use after that.
   */
  accept(chunk: Uint8Array): boolean {
    let at = 0;
    while (at < chunk.length) {
      if (this.#body > 0) {
        const step = Math.min(this.#body, chunk.length - at);
        this.#body -= step;
        at += step;
      } else if (!this.#header(chunk[at++] ?? 0)) return false;
    }
    return true;
  }

  #header(byte: number): boolean {
    if (!this.#inLength) {
      this.#inLength = true;
      this.#limit = byte >> 4 === PUBLISH ? this.#limits.messageMaxBytes : this.#limits.controlMaxBytes;
      this.#length = 0;
      this.#factor = 1;
      this.#lengthBytes = 0;
      return true;
    }
    this.#length += (byte & 127) * this.#factor;
    this.#factor *= 128;
    this.#lengthBytes++;
    if (this.#length > this.#limit) return false;
    if (byte < 128) this.#endHeader(this.#length);
    // A length that goes on too long is malformed: the parser closes the connection, nothing after it is a
    // packet.
    else if (this.#lengthBytes === LENGTH_BYTES_MAX) this.#endHeader(Number.POSITIVE_INFINITY);
    return true;
  }

  #endHeader(body: number): void {
    this.#inLength = false;
    this.#body = body;
  }
}
