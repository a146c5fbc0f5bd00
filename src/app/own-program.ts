import { isSea } from 'node:sea';

/** The command that starts this very program again, without its arguments: one binary alone, else Node and its file. */
export function ownProgram(): readonly string[] {
  const [, file] = process.argv;
  return isSea() || file === undefined ? [process.execPath] : [process.execPath, file];
}
