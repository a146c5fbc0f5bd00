import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DiskGuard } from '../../src/store/disk-guard.ts';
import { openStore, type Store, WriteFailed } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { TagLedger } from '../../src/store/tag-ledger.ts';
import { ledgerModel } from '../support/store-ledger-model.ts';

/** A volume of 16 MB; null where mounting is not allowed. */
function mountSmall(): string | null {
  const dir = mkdtempSync(join(tmpdir(), 'tagkeep-small-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', dir], { stdio: 'ignore' });
    return dir;
  } catch {
    rmSync(dir, { recursive: true, force: true });
    return null;
  }
}

const volume = mountSmall();
const heard: unknown[] = [];
const hear = (reason: unknown): void => void heard.push(reason);
let store: Store;

/** Fills the volume to the last page, or leaves that many bytes. */
function fill(leaveBytes = 0): void {
  const ballast = join(volume ?? '', 'ballast');
  for (let size = 16 * 2 ** 20; size >= 4096; size = Math.floor(size / 2)) {
    try {
      writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // As full as it gets in pieces of this size.
    }
  }
  if (leaveBytes > 0) {
    rmSync(ballast);
    execFileSync(
      'sh',
      ['-c', `head -c $(( $(df --output=avail -B1 . | tail -1) - ${leaveBytes} )) /dev/zero > ballast`],
      {
        cwd: volume ?? '',
      },
    );
  }
}

function free(): void {
  rmSync(join(volume ?? '', 'ballast'), { force: true });
}

const bulk = { orgId: 'o', name: 'x'.repeat(60_000), id: 'z', no: 1, siteId: 's', createdAt: 0 };

beforeAll(() => {
  if (volume === null) return;
  process.on('unhandledRejection', hear);
  store = openStore(volume);
});

afterEach(() => {
  if (volume !== null) free();
});

afterAll(async () => {
  if (volume === null) return;
  await store.close();
  process.off('unhandledRejection', hear);
  execFileSync('umount', ['-l', volume]);
  rmSync(volume, { recursive: true, force: true });
});

describe.skipIf(volume === null)('on a full disk (needs the right to mount a small volume)', () => {
  it('a write fails as WriteFailed, keeps nothing, leaves no promise unheard, and works again when there is room', async () => {
    await store.write((tx) => tx.put(tables.meta, 'before', 1));
    fill();
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((no) =>
        store.write((tx) => {
          tx.next('counter');
          for (let i = 0; i < 20; i++) tx.put(tables.orgs, `bulk-${no}-${i}`, bulk);
        }),
      ),
    );
    for (const outcome of outcomes) {
      expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(WriteFailed);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(heard).toEqual([]);
    expect([store.get(tables.meta, 'before'), store.get(tables.meta, 'counter')]).toEqual([1, undefined]);
    expect([...store.range(tables.orgs)]).toEqual([]);
    free();
    await store.write((tx) => tx.put(tables.meta, 'after', tx.next('counter')));
    expect(store.get(tables.meta, 'after')).toBe(1);
  });

  it('an action that throws of itself comes out as it is, even then', async () => {
    fill();
    const failing = store.write((tx) => {
      tx.put(tables.meta, 'x', 1);
      throw new RangeError('mine');
    });
    await expect(failing).rejects.toThrow(RangeError);
  });

  it('a failed checkpoint owes everything again, and the next one writes it', async () => {
    const ledger = new TagLedger(store);
    const model = ledgerModel();
    const touch = model.touch({ tagNo: 1, at: 1000, antennaNo: 9, zoneNo: 1 });
    await store.write((tx) => ledger.append(tx, [touch])).then((entry) => ledger.applied(entry));
    fill();
    const failures: unknown[] = [];
    // The store still has free pages of its own for a few small writes.
    for (let i = 0; i < 200 && failures.length === 0; i++) {
      await ledger.checkpoint().catch((error: unknown) => failures.push(error));
      const next = model.touch({ tagNo: 2 + i * 32, at: 2000 + i, antennaNo: 9, zoneNo: 1 });
      const entry = await store.write((tx) => ledger.append(tx, [next])).catch(() => null);
      if (entry) ledger.applied(entry);
      else model.undo();
    }
    expect(failures[0]).toBeInstanceOf(WriteFailed);
    expect(heard).toEqual([]);
    free();
    await ledger.checkpoint();
    expect(ledger.pending).toBe(0);
    expect(model.difference(store, ledger)).toEqual([]);
    expect(model.difference(store, new TagLedger(store))).toEqual([]);
  });

  it('the guard blocks below its floor, says what is free and what is needed, and lifts the block again', async () => {
    const guard = new DiskGuard(volume ?? '', 1000);
    await guard.check();
    expect(guard.blocked).toBeNull();
    fill(500_000);
    await guard.check();
    expect(guard.blocked).toMatch(/^disk nearly full: 0 MB free in .*, 2 MB needed$/);
    free();
    await guard.check();
    expect(guard.blocked).toBeNull();
  });
});
