import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Directory } from '../../src/store/directory.ts';
import { WriteFailed } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';
import { bundle, type Peer, startPeer } from '../support/store-process.ts';

let program = '';
const folders: StoreFolder[] = [];
const peers: Peer[] = [];

function folder(): StoreFolder {
  const made = storeFolder();
  folders.push(made);
  return made;
}

function peer(dir: string, mode: string): Peer {
  const started = startPeer(program, [dir, mode]);
  peers.push(started);
  return started;
}

const zone = (name: string, no: number) => ({
  id: name,
  no,
  siteId: 'site',
  name,
  kind: 'storage' as const,
  locationPolicy: null,
});

beforeAll(async () => {
  program = await bundle('store-peer.ts');
});

afterEach(async () => {
  for (const one of peers.splice(0)) await one.kill();
  for (const one of folders.splice(0)) await one.close();
});

describe('what accompanies the records of a table', () => {
  it('is durable with them or not at all', async () => {
    const { store } = folder();
    store.accompany(tables.zones, (tx, [orgId, id], { name }) => {
      if (name === 'refused') throw new Error('no');
      tx.put(tables.meta, `${orgId}/${id}`, 1);
    });
    await store.write((tx) => tx.put(tables.zones, ['org', 'a'], zone('a', 1)));
    expect(store.get(tables.meta, 'org/a')).toBe(1);
    const thrown = store.write((tx) => {
      tx.put(tables.zones, ['org', 'b'], zone('b', 2));
      throw new Error('later');
    });
    await expect(thrown).rejects.toThrow('later');
    expect(store.get(tables.meta, 'org/b')).toBeUndefined();
    const refused = store.write((tx) => tx.put(tables.zones, ['org', 'c'], zone('refused', 3)));
    await expect(refused).rejects.toThrow('no');
    expect(store.get(tables.zones, ['org', 'c'])).toBeUndefined();
  });
});

describe('a write', () => {
  it('sees its own changes, and nobody else does before it is over', async () => {
    const { store } = folder();
    const seen = await store.write((tx) => {
      tx.put(tables.meta, 'a', 1);
      return [tx.get(tables.meta, 'a'), tx.count(tables.meta), [...tx.range(tables.meta)].length];
    });
    expect(seen).toEqual([1, 1, 1]);
    expect(store.get(tables.meta, 'a')).toBe(1);
  });

  it('rolls everything back when its action throws, and the error comes out as it is', async () => {
    const { store } = folder();
    const fault = new Error('no');
    const failing = store.write((tx) => {
      tx.put(tables.meta, 'a', 1);
      tx.next('counter');
      throw fault;
    });
    await expect(failing).rejects.toBe(fault);
    expect([store.get(tables.meta, 'a'), store.get(tables.meta, 'counter')]).toEqual([undefined, undefined]);
  });

  it('that throws takes nothing with it of the writes before and after it', async () => {
    const { store } = folder();
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map((no) =>
        store.write((tx) => {
          tx.put(tables.meta, `n${no}`, tx.next('counter'));
          if (no === 2) throw new Error('no');
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(Array.from(store.range(tables.meta), ({ key, value }) => [key, value])).toEqual([
      ['counter', 2],
      ['n1', 1],
      ['n3', 2],
    ]);
  });

  it('is seen by reads of the same turn once it resolved', async () => {
    const { store } = folder();
    store.get(tables.meta, 'a');
    for (let no = 1; no <= 50; no++) {
      store.get(tables.meta, 'a');
      await store.write((tx) => tx.put(tables.meta, 'a', no));
      expect(store.get(tables.meta, 'a')).toBe(no);
    }
  });

  it('on a store that was closed is a failure, not a crash', async () => {
    const made = storeFolder();
    await made.close();
    await expect(made.store.write((tx) => tx.put(tables.meta, 'a', 1))).rejects.toBeInstanceOf(WriteFailed);
  });
});

describe('durability', () => {
  it('what one process wrote, another sees in the turn after the write resolved', async () => {
    const { store, dir } = folder();
    const other = peer(dir, 'serve');
    await other.until((lines) => lines.length === 1);
    for (let no = 1; no <= 20; no++) {
      await store.write((tx) => tx.put(tables.meta, 'a', no));
      other.say('get a');
      await other.until((lines) => lines.length === no + 1);
      expect(other.lines.at(-1)).toBe(String(no));
    }
  });

  it('kill -9 right after a resolved write loses nothing', async () => {
    const made = folder();
    for (const enough of [1, 40, 200]) {
      const other = peer(made.dir, 'write');
      await other.until((lines) => lines.length >= enough);
      await other.kill();
      const store = await made.reopen();
      const lost = other.lines.filter((no) => store.get(tables.meta, `written-${no}`) !== Number(no));
      expect(lost).toEqual([]);
    }
  });

  it('a counter gives no number twice, over two processes and with writes rolled back', async () => {
    const { store, dir } = folder();
    const others = [peer(dir, 'count'), peer(dir, 'count')];
    const own = Promise.all(Array.from({ length: 200 }, () => store.write((tx) => tx.next('shared'))));
    for (const other of others) expect(await other.ended()).toBe(0);
    const numbers = [...(await own), ...others.flatMap(({ lines }) => lines.map(Number))];
    // 43 of 300 are rolled back in each of the others.
    expect(numbers).toHaveLength(200 + 2 * 257);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(Math.max(...numbers)).toBe(numbers.length);
  });
});

describe('the directory', () => {
  it('shows a change of its own process as soon as the write resolved', async () => {
    const { store } = folder();
    const directory = new Directory(store);
    for (let no = 1; no <= 20; no++) {
      expect(directory.zoneByNo(no)).toBeUndefined();
      await store.write((tx) => tx.put(tables.zones, ['org', `z${no}`], zone(`z${no}`, no)));
      expect(directory.zoneByNo(no)?.name).toBe(`z${no}`);
    }
  });

  it('does not load again for what is no part of it', async () => {
    const { store } = folder();
    const before = store.directoryVersion();
    await store.write((tx) => tx.put(tables.meta, 'a', 1));
    await store.write((tx) => tx.put(tables.userByEmail, 'a', 'b'));
    expect(store.directoryVersion()).toBe(before);
  });

  it('shows a change of another process a turn or two later', async () => {
    const { store, dir } = folder();
    const directory = new Directory(store);
    const other = peer(dir, 'serve');
    await other.until((lines) => lines.length === 1);
    for (let no = 1; no <= 5; no++) {
      expect(directory.zonesOf('org')).toHaveLength(no - 1);
      other.say(`zone z${no}`);
      await other.until((lines) => lines.length === no + 1);
      let turns = 0;
      while (directory.zoneByNo(no) === undefined && turns < 50) {
        turns++;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      expect(turns).toBeLessThan(50);
      expect(directory.zoneByNo(no)?.name).toBe(`z${no}`);
    }
  });

  it('a rolled back change shows nowhere', async () => {
    const { store } = folder();
    const directory = new Directory(store);
    const failing = store.write((tx) => {
      tx.put(tables.zones, ['org', 'z'], zone('z', 1));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(directory.zonesOf('org')).toEqual([]);
    expect(store.directoryVersion()).toBe(0);
  });
});

describe('a watcher of a table', () => {
  it('is told the keys of a durable write before its writer goes on, and nothing of one that is rolled back', async () => {
    const { store } = folder();
    const seen: number[][] = [];
    store.watch(tables.tagData, (keys) => seen.push([...keys]));
    await store.write((tx) => {
      tx.put(tables.tagData, 3, { at: 1, values: {} });
      tx.remove(tables.tagData, 4);
      tx.put(tables.meta, 'other', 1);
    });
    expect(seen).toEqual([[3, 4]]);
    const failing = store.write((tx) => {
      tx.put(tables.tagData, 5, { at: 1, values: {} });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(seen).toEqual([[3, 4]]);
  });
});
