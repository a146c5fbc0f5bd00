import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { isEmulated, mapSizeFor } from '../../src/store/map-size.ts';

const GB = 2 ** 30;
const root = mkdtempSync(join(tmpdir(), 'tagkeep-map-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the size of the store's map", () => {
  it.each([
    [Number.POSITIVE_INFINITY, 0, 64],
    [64.5 * GB, 0, 64],
    [64 * GB, 0, 16],
    [20 * GB, 5 * GB, 16],
    [5 * GB, 0, 4],
    [4 * GB, 0, 1],
    [1.5 * GB, 0, 1],
    [3.5 * GB, 3 * GB, 1],
  ])('of %d bytes of room and a file of %d is %d GB', (room, fileBytes, gigabytes) => {
    expect(mapSizeFor(room, fileBytes)).toBe(gigabytes * GB);
  });

  it('is none when not even the smallest, or the file, fits', () => {
    expect(mapSizeFor(GB, 0)).toBeNull();
    expect(mapSizeFor(4 * GB, 4 * GB)).toBeNull();
  });

  it('never takes the room the program needs for itself', () => {
    fc.assert(
      fc.property(fc.nat(200 * GB), fc.nat(80 * GB), (room, fileBytes) => {
        const size = mapSizeFor(room, fileBytes);
        return size === null || Math.max(size, fileBytes) + 0.5 * GB <= room;
      }),
    );
  });
});

describe('an emulator', () => {
  const intel = 'processor\t: 0\nvendor_id\t: GenuineIntel\n';
  const arm = 'processor\t: 0\nCPU implementer\t: 0x41\n';
  it.each([
    ['x64', intel, false],
    ['arm64', arm, false],
    ['arm64', intel, true],
    ['x64', arm, true],
    ['x64', '', false],
    ['riscv64', intel, false],
  ] as const)('%s on %j: %s', (arch, cpuinfo, expected) => {
    expect(isEmulated(arch, cpuinfo)).toBe(expected);
  });
});

describe('with a limit on address space (ulimit -v)', () => {
  const program = join(root, 'open.mjs');
  const script = `import { openStore } from ${JSON.stringify(resolve('src/store/store.ts'))};
    import { tables } from ${JSON.stringify(resolve('src/store/tables.ts'))};
    try {
      const store = openStore(process.argv[2]);
      await store.write((tx) => tx.put(tables.meta, 'a', 1));
      console.log('kept', store.get(tables.meta, 'a'));
      await store.close();
    } catch (error) { console.log(error.message); }`;

  function opened(megabytes: number): { status: number | null; stdout: string } {
    const limited = `ulimit -v ${megabytes * 1024}; exec "$0" "$@"`;
    const dir = mkdtempSync(join(root, 'data-'));
    return spawnSync('sh', ['-c', limited, process.execPath, program, dir], { encoding: 'utf8' });
  }

  it('opens with a smaller map, and says in one line when there is no room at all', () => {
    writeFileSync(`${program}.ts`, script);
    execFileSync('node_modules/.bin/esbuild', [
      ...[`${program}.ts`, `--outfile=${program}`, '--bundle', '--format=esm', '--platform=node'],
      '--external:lmdb',
    ]);
    // The bundle asks for lmdb where the checkout has it.
    execFileSync('ln', ['-s', resolve('node_modules'), join(root, 'node_modules')]);
    for (const megabytes of [30_000, 8000, 3500])
      expect(opened(megabytes), String(megabytes)).toMatchObject({ status: 0, stdout: 'kept 1\n' });
    expect(opened(1800).stdout).toMatch(
      /^the store needs 1536 MB of address space, this process may have \d+ MB more: raise its limit \(ulimit -v\)\n$/,
    );
  });
});
