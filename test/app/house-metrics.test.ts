import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerHouse } from '../../src/app/house-metrics.ts';

const dataDir = join(mkdtempSync(join(tmpdir(), 'tagkeep-metrics-')), 'data');
const registry = new Registry();
beforeAll(() => {
  mkdirSync(dataDir);
  registerHouse(registry, {
    pipeline: { ingest: { stalled: null } },
    disk: { blocked: null },
    config: { dataDir, storage: { minFreeMegabytes: 16 } },
  });
});
afterAll(() => rmSync(join(dataDir, '..'), { recursive: true, force: true }));

/** The figures of the disk, by what comes after their common name. */
async function disk(): Promise<Record<string, number>> {
  const text = await registry.metrics();
  expect(text).toMatch(/^tagkeep_ready 1$/m);
  const found = text.matchAll(/^tagkeep_disk_([a-z]+)_bytes (\S+)$/gm);
  return Object.fromEntries(Array.from(found, ([, name = '', value]) => [name, Number(value)]));
}

describe('the figures of the disk', () => {
  it('are all there at the first scrape, and of one look', async () => {
    const { size = 0, floor, free = 0 } = await disk();
    expect(size).toBeGreaterThan(0);
    expect(floor).toBe(Math.min(16 * 1024 * 1024, size * 0.1));
    expect([free > 0, free <= size]).toEqual([true, true]);
  });

  it('are left out while the volume can not be looked at, and come back', async () => {
    rmSync(dataDir, { recursive: true });
    expect(await disk()).toEqual({});
    mkdirSync(dataDir);
    expect(Object.keys(await disk())).toEqual(['size', 'floor', 'free']);
  });
});
