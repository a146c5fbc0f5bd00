import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its missing parents with mode 0700; false when it was there. Throws what the file system says.
 * Node's own recursive mkdir never comes back where a folder can't be made although its parent is there, as in /proc.
 */
export function makeFolder(dir: string): boolean {
  try {
    mkdirSync(dir, { mode: 0o700 });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' && statSync(dir).isDirectory()) return false;
    if (code !== 'ENOENT' || existsSync(dirname(dir))) throw error;
  }
  makeFolder(dirname(dir));
  mkdirSync(dir, { mode: 0o700 });
  return true;
}
