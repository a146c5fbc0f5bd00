import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { unreadable } from '../../domain/import-plan.ts';
import { encodeText } from './generalised-utf8.ts';

/** Small enough that parsing one leaves the event loop free. */
const CHUNK_BYTES = 32 * 1024;

/** The file in UTF-8 without a byte order mark, in chunks; UTF-16 is told by its mark. */
export async function* csvBytes(path: string): AsyncGenerator<Buffer> {
  let encoding: Encoding | null = null;
  for await (const chunk of chunksOf(path)) {
    const isFirst = encoding === null;
    encoding ??= encodingOf(chunk);
    const bytes = isFirst ? chunk.subarray(encoding.markBytes) : chunk;
    yield encoding.utf16 ? encoding.utf16.write(bytes) : bytes;
  }
  if (encoding?.utf16) yield encoding.utf16.end();
}

interface Encoding {
  readonly markBytes: number;
  readonly utf16: Utf16 | null;
}

function chunksOf(path: string): AsyncIterable<Buffer> {
  // Without an encoding a file stream yields Buffers.
  return createReadStream(path, { highWaterMark: CHUNK_BYTES });
}

function encodingOf(start: Buffer): Encoding {
  const mark = start.toString('hex', 0, 3);
  if (mark === 'efbbbf') return { markBytes: 3, utf16: null };
  if (mark.startsWith('fffe')) return { markBytes: 2, utf16: new Utf16(false) };
  if (mark.startsWith('feff')) return { markBytes: 2, utf16: new Utf16(true) };
  return { markBytes: 0, utf16: null };
}

/** Turns UTF-16 into UTF-8, whatever the chunks are cut at. */
class Utf16 {
  readonly #isBigEndian: boolean;
  readonly #decoder = new StringDecoder('utf16le');
  #odd = Buffer.alloc(0);

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  write(chunk: Buffer): Buffer {
    const bytes = Buffer.concat([this.#odd, chunk]);
    const whole = bytes.length - (bytes.length % 2);
    this.#odd = bytes.subarray(whole);
    const units = bytes.subarray(0, whole);
    return encodeText(this.#decoder.write(this.#isBigEndian ? units.swap16() : units));
  }

  end(): Buffer {
    if (this.#odd.length > 0)
      throw unreadable('The file is UTF-16 by its mark, but ends within a character.');
    return encodeText(this.#decoder.end());
  }
}
