import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

const LMDB_MAGIC = Buffer.from('dec0efbe', 'hex');
const TWO_PAGES = 8192;

/** The store's file in a data folder. */
export const storeFile = (dataDir: string): string => join(dataDir, 'db', 'tagkeep.mdb');

/** False only when there is certainly no store in `<dataDir>/db`: one that can't be looked at may be there. */
export function mayHaveStore(dataDir: string): boolean {
  try {
    return statSync(storeFile(dataDir), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** A file of the store that LMDB would take for a new one, or die of. The message says what to do about a data folder. */
export class DamagedStore extends Error {
  constructor(path: string) {
    super(
      `${path} is damaged: it is empty, cut short or overwritten; restore the data folder from a backup, or move it away to begin anew`,
    );
    this.name = 'DamagedStore';
  }
}

/**
 * Throws `DamagedStore` when there is a file that LMDB would take for a new store, or die of: an emptied or overwritten one. What it held
 * is a backup's business; a start that made a new store of it would be a start without readers, tags and users.
 */
export function checkStoreFile(path: string): void {
  if (!existsSync(path)) return;
  const head = Buffer.alloc(64);
  const file = openSync(path, 'r');
  try {
    readSync(file, head);
  } finally {
    closeSync(file);
  }
  if (head.includes(LMDB_MAGIC) && statSync(path).size >= TWO_PAGES) return;
  throw new DamagedStore(path);
}
