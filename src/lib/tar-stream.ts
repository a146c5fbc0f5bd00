import { ByteReader } from './byte-reader.ts';

/** A file in a tar. `size` in bytes; the name has up to 100 characters of ASCII. */
export interface TarEntry {
  readonly name: string;
  readonly size: number;
}

/** A file to be written, with `modifiedAt` in milliseconds since 1970. Its content must have exactly `size` bytes. */
export interface TarSource extends TarEntry {
  readonly modifiedAt: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Not a tar as `writeTar` makes it, or a file that changed its size while it was packed. */
class TarError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TarError';
  }
}

interface Field {
  readonly at: number;
  readonly length: number;
}

const BLOCK = 512;
const NAME: Field = { at: 0, length: 100 };
const SIZE: Field = { at: 124, length: 12 };
const CHECKSUM: Field = { at: 148, length: 8 };
const MODE_AT = 100;
const USER_AT = 108;
const GROUP_AT = 116;
const TIME_AT = 136;
const TYPE_AT = 156;
const MAGIC: Field = { at: 257, length: 8 };
const USTAR = 'ustar\u000000';
const REGULAR_FILE = '0';
/** The largest size eleven octal digits can say: 8 GiB less one. */
const MAX_OCTAL = 0o77777777777;
/** Marks a size that is written to the base of 256 instead, as GNU tar does it. */
const BASE_256 = 0x80;

/**
 * Files as a POSIX tar (ustar): mode 0600, user and group 0, two empty blocks at the end. A file of 8 GiB or more has its
 * size in GNU's form. Memory is what one chunk takes. Throws `TarError`.
 */
export async function* writeTar(sources: AsyncIterable<TarSource>): AsyncGenerator<Uint8Array> {
  for await (const source of sources) {
    yield headerOf(source, source.modifiedAt);
    let written = 0;
    for await (const chunk of source.content) {
      written += chunk.length;
      if (written > source.size) break;
      yield chunk;
    }
    if (written !== source.size) throw new TarError(`${source.name} changed while it was packed`);
    yield new Uint8Array(paddingOf(source.size));
  }
  yield new Uint8Array(2 * BLOCK);
}

/**
 * Hands every file of a tar to `take`, in order, with its content; what `take` leaves of it is skipped. Only what `writeTar`
 * makes is read: anything but regular files, a wrong checksum, a missing end or something after it is a `TarError`.
 */
export async function readTar(
  source: AsyncIterable<Uint8Array>,
  take: (entry: TarEntry, content: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  const reader = new ByteReader(source);
  for (;;) {
    const header = await exactly(reader, BLOCK);
    if (isEmpty(header)) return requireEnd(reader);
    const entry = entryOf(header);
    const end = reader.position + entry.size;
    await take(entry, contentOf(reader, entry));
    for await (const _ of reader.take(end - reader.position));
    if (reader.position !== end) throw cutShort(reader);
    await exactly(reader, paddingOf(entry.size));
  }
}

/** The name of the first file of a tar as `writeTar` makes it, from its first 512 bytes; null: it is none. */
export function firstNameIn(head: Uint8Array): string | null {
  if (head.length < BLOCK) return null;
  try {
    return entryOf(head.subarray(0, BLOCK)).name;
  } catch {
    return null;
  }
}

async function* contentOf(reader: ByteReader, { size }: TarEntry): AsyncGenerator<Uint8Array> {
  const end = reader.position + size;
  yield* reader.take(size);
  if (reader.position !== end) throw cutShort(reader);
}

async function exactly(reader: ByteReader, size: number): Promise<Uint8Array> {
  const bytes = await reader.read(size);
  if (bytes.length < size) throw cutShort(reader);
  return bytes;
}

async function requireEnd(reader: ByteReader): Promise<void> {
  if (!isEmpty(await exactly(reader, BLOCK)) || (await reader.read(1)).length > 0)
    throw new TarError(`something follows the end of the archive, at byte ${reader.position}`);
}

const cutShort = (reader: ByteReader): TarError =>
  new TarError(`the archive is cut short at byte ${reader.position}`);
const isEmpty = (block: Uint8Array): boolean => block.every((byte) => byte === 0);
const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

function headerOf({ name, size }: TarEntry, modifiedAt: number): Uint8Array {
  if (!/^[\x21-\x7e]{1,100}$/.test(name))
    throw new TarError(`${JSON.stringify(name)} can't be a name in an archive`);
  const header = new Uint8Array(BLOCK);
  const put = (at: number, text: string): void => header.set(new TextEncoder().encode(text), at);
  put(NAME.at, name);
  put(MODE_AT, '0000600');
  put(USER_AT, '0000000');
  put(GROUP_AT, '0000000');
  if (size <= MAX_OCTAL) put(SIZE.at, octal(size, SIZE.length - 1));
  else header.set(base256(size), SIZE.at);
  put(TIME_AT, octal(Math.min(MAX_OCTAL, Math.max(0, Math.floor(modifiedAt / 1000))), 11));
  put(TYPE_AT, REGULAR_FILE);
  put(MAGIC.at, USTAR);
  put(CHECKSUM.at, `${octal(checksumOf(header), 6)}\u0000 `);
  return header;
}

function entryOf(header: Uint8Array): TarEntry {
  if (Number.parseInt(textAt(header, CHECKSUM), 8) !== checksumOf(header))
    throw new TarError('a file header of the archive is damaged, or it is no archive');
  const magic = String.fromCharCode(...header.subarray(MAGIC.at, MAGIC.at + MAGIC.length));
  if (magic !== USTAR || header[TYPE_AT] !== REGULAR_FILE.charCodeAt(0))
    throw new TarError('the archive holds something that is no file, or is another kind of tar');
  const size = sizeOf(header);
  if (!Number.isSafeInteger(size) || size < 0) throw new TarError('a file header of the archive has no size');
  return { name: textAt(header, NAME), size };
}

function sizeOf(header: Uint8Array): number {
  const field = header.subarray(SIZE.at, SIZE.at + SIZE.length);
  if (((field[0] ?? 0) & BASE_256) === 0) return Number.parseInt(textAt(header, SIZE), 8);
  return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
}

function base256(size: number): Uint8Array {
  const field = new Uint8Array(SIZE.length);
  for (let at = SIZE.length - 1, left = size; at > 0; at--, left = Math.floor(left / 256))
    field[at] = left % 256;
  field[0] = BASE_256;
  return field;
}

/** The sum of all bytes, with the checksum itself counted as blanks. */
function checksumOf(header: Uint8Array): number {
  const isOwn = (at: number): boolean => at >= CHECKSUM.at && at < CHECKSUM.at + CHECKSUM.length;
  return header.reduce((sum, byte, at) => sum + (isOwn(at) ? 0x20 : byte), 0);
}

function textAt(header: Uint8Array, { at, length }: Field): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return String.fromCharCode(...field.subarray(0, end === -1 ? length : end)).trim();
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
