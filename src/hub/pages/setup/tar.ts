/** A file that goes into an archive. `mode` is as chmod has it. */
export interface TarFile {
  readonly name: string;
  readonly text: string;
  readonly mode: number;
}

const BLOCK = 512;
const encoder = new TextEncoder();

/** A POSIX tar archive (ustar) of small files. Names are ASCII, up to 100 characters. `mtime` is epoch ms. Pure. */
export function tarOf(files: readonly TarFile[], mtime: number): Uint8Array<ArrayBuffer> {
  const parts = files.flatMap((file) => {
    const content = encoder.encode(file.text);
    return [header(file, content.length, mtime), padded(content)];
  });
  // Two empty blocks end an archive.
  const archive = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 2 * BLOCK));
  let at = 0;
  for (const part of parts) {
    archive.set(part, at);
    at += part.length;
  }
  return archive;
}

function header({ name, mode }: TarFile, size: number, mtime: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string): void => block.set(encoder.encode(text), at);
  put(0, name);
  put(100, octal(mode, 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(size, 12));
  put(136, octal(Math.floor(mtime / 1000), 12));
  // The checksum counts its own field as spaces.
  put(148, ' '.repeat(8));
  put(156, '0');
  put(257, 'ustar\u000000');
  put(265, 'root');
  put(297, 'root');
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, '0')}\u0000 `);
  return block;
}

/** A number in a field of `width` bytes, the last of which is NUL. */
const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\u0000`;

function padded(content: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil(content.length / BLOCK) * BLOCK);
  whole.set(content);
  return whole;
}
