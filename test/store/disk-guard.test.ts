import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiskGuard } from '../../src/store/disk-guard.ts';
import { canMount, SmallDisk } from '../support/small-disk.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tagkeep-guard-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('with plenty of room there is nothing to say', async () => {
  const guard = new DiskGuard(dir, 1);
  await guard.check();
  expect([guard.blocked, guard.low]).toEqual([null, null]);
});

test.skipIf(!canMount())(
  'on a volume that fills: warned below three floors while everything goes on, then blocked',
  async () => {
    const disk = new SmallDisk('size=40m');
    try {
      const guard = new DiskGuard(disk.dir, 1000);
      await guard.check();
      expect([guard.blocked, guard.low]).toEqual([null, null]);
      writeFileSync(join(disk.dir, 'more'), Buffer.alloc(30 * 1024 * 1024));
      await guard.check();
      expect(guard.blocked).toBeNull();
      expect(guard.low).toMatch(/^disk fills up: (9|10) MB free in .*; below 4 MB writes are refused/);
      disk.fill();
      await guard.check();
      expect([guard.blocked === null, guard.low]).toEqual([false, null]);
      disk.empty();
      rmSync(join(disk.dir, 'more'));
      await guard.check();
      expect([guard.blocked, guard.low]).toEqual([null, null]);
    } finally {
      disk.remove();
    }
  },
);
