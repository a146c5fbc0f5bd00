import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { openStore, type Store } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';

/** A second process on a store, for the tests: `node store-peer.mjs DIR MODE`. */
const [dir = '', mode = ''] = process.argv.slice(2);
const store = openStore(dir);

const modes: Record<string, (store: Store) => Promise<void>> = {
  /** Writes for ever; prints each number once its write resolved. */
  write: async () => {
    for (let no = 1; ; no++) {
      await store.write((tx) => tx.put(tables.meta, `written-${no}`, no));
      process.stdout.write(`${no}\n`);
    }
  },
  /** Takes 300 numbers of one counter, several at a time, some rolled back. */
  count: async () => {
    const rounds = Array.from({ length: 300 }, (_, i) =>
      store.write((tx) => {
        const no = tx.next('shared');
        if (i % 7 === 0) throw new Error('rolled back');
        return no;
      }),
    );
    for (const taken of await Promise.allSettled(rounds)) {
      if (taken.status === 'fulfilled') process.stdout.write(`${taken.value}\n`);
    }
  },
  /** Prints what a counter holds on `get NAME`, and adds a zone on `zone NAME`. */
  serve: async () => {
    process.stdout.write('ready\n');
    for await (const line of createInterface({ input: process.stdin })) {
      const [word, name = ''] = line.split(' ');
      // A snapshot serves all reads of a turn, so that one taken just before the question may still stand.
      if (word === 'get') await wait(2);
      if (word === 'get') process.stdout.write(`${store.get(tables.meta, name) ?? 'nothing'}\n`);
      if (word === 'zone') {
        await store.write((tx) =>
          tx.put(tables.zones, ['org', name], {
            id: name,
            no: tx.next('nextZoneNo'),
            siteId: 'site',
            name,
            kind: 'storage',
            locationPolicy: null,
          }),
        );
        process.stdout.write(`${name}\n`);
      }
    }
  },
};

await modes[mode]?.(store);
await store.close();
