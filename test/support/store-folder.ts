import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../src/store/store.ts';

/** A store in a folder of its own. */
export interface StoreFolder {
  readonly dir: string;
  readonly store: Store;
  /** Closes the store and opens it again, as another start of the program would. */
  reopen(): Promise<Store>;
  close(): Promise<void>;
}

export function storeFolder(dir = mkdtempSync(join(tmpdir(), 'tagkeep-store-'))): StoreFolder {
  let store = openStore(dir);
  return {
    dir,
    get store() {
      return store;
    },
    reopen: async () => {
      await store.close();
      store = openStore(dir);
      return store;
    },
    close: async () => {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
