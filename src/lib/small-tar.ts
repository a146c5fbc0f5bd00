/** One file of an archive. */
export interface TarEntry {
  /** Path with slashes, relative, ASCII, at most 100 bytes. */
  readonly name: string;
  readonly data: Uint8Array;
}

const BLOCK = 512;
/** What GNU tar pads an archive to. */
const RECORD = 20 * BLOCK;
const MODE = 0o600;

/** A tar archive (ustar) of files in memory, each mode 0600 and of user 0. `mtimeMs` is epoch ms. Throws on an impossible name. */
export function tarOf(entries: readonly TarEntry[], mtimeMs: number): Uint8Array {
  const used = entries.reduce((bytes, { data }) => bytes + BLOCK + padded(data.length, BLOCK), 0);
  // Two empty blocks end an archive.
  const archive = new Uint8Array(padded(used + 2 * BLOCK, RECORD));
  let at = 0;
  for (const entry of entries) {
    archive.set(header(entry, mtimeMs), at);
    archive.set(entry.data, at + BLOCK);
    at += BLOCK + padded(entry.data.length, BLOCK);
  }
  return archive;
}

function header({ name, data }: TarEntry, mtimeMs: number): Uint8Array {
  if (!/^(?!\/)[\x21-\x7e]{1,100}$/.test(name))
    throw new Error(`${JSON.stringify(name)} can't be in an archive`);
  const block = new Uint8Array(BLOCK);
  const put = (text: string, at: number): void => block.set(new TextEncoder().encode(text), at);
  put(name, 0);
  put(octal(MODE, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(data.length, 12), 124);
  put(octal(Math.max(0, Math.floor(mtimeMs / 1000)), 12), 136);
  // The checksum is made with blanks in its own place.
  put('        ', 148);
  put('0', 156);
  put('ustar\0', 257);
  put('00', 263);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** Octal digits with a zero byte after them, `width` bytes in all. */
function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

function padded(bytes: number, unit: number): number {
  return Math.ceil(bytes / unit) * unit;
}
