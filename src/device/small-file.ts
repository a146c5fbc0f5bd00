import { readFileSync, statSync } from 'node:fs';

const FILE_MAX_BYTES = 64 * 1024;

/** The text of a file of at most 64 kB. Throws an Error of one line that names the file and what is wrong with it. */
export function readSmallText(file: string): string {
  try {
    const found = statSync(file);
    // A pipe or a device would never end.
    if (!found.isFile()) throw new Error('is no file');
    if (found.size > FILE_MAX_BYTES) throw new Error('is over 64 kB');
    // Editors of other systems begin a text with a mark.
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new Error(`${file}: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be read';
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'is missing';
  return code === undefined ? error.message : `cannot be read (${code})`;
}
