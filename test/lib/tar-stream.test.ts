import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readTar, type TarSource, writeTar } from '../../src/lib/tar-stream.ts';

const dir = mkdtempSync(join(tmpdir(), 'tagkeep-tar-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const AT = Date.UTC(2026, 0, 31, 12);
const EIGHT_GIB = 8 * 1024 ** 3;

async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const source = (name: string, bytes: Uint8Array): TarSource => ({
  ...{ name, size: bytes.length, modifiedAt: AT },
  content: chunks(bytes, 1000),
});

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function written(sources: readonly TarSource[]): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of writeTar(each(sources))) parts.push(part);
  return Buffer.concat(parts);
}

async function read(tar: Uint8Array, chunk = 777): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  await readTar(chunks(tar, chunk), async ({ name }, content) => {
    const parts: Uint8Array[] = [];
    for await (const part of content) parts.push(part.slice());
    files.set(name, Buffer.concat(parts));
  });
  return files;
}

describe('a tar', () => {
  it('comes back as it was written, whatever the files and the chunks it is read in', async () => {
    const files = fc.uniqueArray(
      fc.record({ name: fc.stringMatching(/^[a-z/.]{1,100}$/), bytes: fc.uint8Array({ maxLength: 3000 }) }),
      { selector: ({ name }) => name, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 1, max: 2000 }), async (some, chunk) => {
        const back = await read(await written(some.map(({ name, bytes }) => source(name, bytes))), chunk);
        expect([...back]).toEqual(some.map(({ name, bytes }) => [name, Buffer.from(bytes)]));
      }),
      { numRuns: 50 },
    );
  });

  it('is one that tar itself unpacks, with mode 0600 and the time given', async () => {
    const file = join(dir, 'own.tar');
    writeFileSync(
      file,
      await written([source('db/a', Buffer.alloc(70_000, 1)), source('b', Buffer.from('text'))]),
    );
    const out = mkdtempSync(join(dir, 'out-'));
    execFileSync('tar', ['-xf', file, '-C', out]);
    expect(readdirSync(out).sort()).toEqual(['b', 'db']);
    expect(readFileSync(join(out, 'db/a'))).toEqual(Buffer.alloc(70_000, 1));
    expect(statSync(join(out, 'b'))).toMatchObject({ size: 4, mtimeMs: AT });
    expect(statSync(join(out, 'b')).mode & 0o777).toBe(0o600);
  });

  it('of tar itself, as ustar without folders, is read', async () => {
    writeFileSync(join(dir, 'one'), 'first');
    const tar = execFileSync('tar', ['--format=ustar', '-b', '2', '-C', dir, '-cf', '-', 'one']);
    const back = await read(tar.subarray(0, 2048));
    expect(back.get('one')?.toString()).toBe('first');
  });

  it.each([EIGHT_GIB - 1, EIGHT_GIB, 3 * EIGHT_GIB + 5])(
    'takes a file of %s bytes, and tar reads its size',
    async (size) => {
      const empty = { name: 'big', size, modifiedAt: AT, content: each<Uint8Array>([]) };
      const { value: header } = await writeTar(each([empty])).next();
      const listed = execFileSync('sh', ['-c', 'tar -tvf - 2>/dev/null || true'], { input: header });
      expect(listed.toString()).toContain(` ${size} `);
      const sizes: number[] = [];
      const reading = readTar(each([header]), async (entry) => void sizes.push(entry.size));
      await expect(reading).rejects.toThrow('cut short');
      expect(sizes).toEqual([size]);
    },
  );

  it('that is cut off anywhere is refused', async () => {
    const tar = await written([source('a', Buffer.alloc(600, 1)), source('b', Buffer.alloc(10, 2))]);
    for (let length = 0; length < tar.length; length += 97)
      await expect(read(tar.subarray(0, length)), `${length} bytes`).rejects.toThrow('cut short');
  });

  it('with something behind its end, a damaged header, or more than files in it is refused', async () => {
    const tar = await written([source('a', Buffer.from('x'))]);
    await expect(read(Buffer.concat([tar, Buffer.from('x')]))).rejects.toThrow('follows the end');
    const damaged = Buffer.from(tar);
    damaged[3] = 1;
    await expect(read(damaged)).rejects.toThrow('damaged');
    const folder = execFileSync('tar', ['--format=ustar', '-C', tmpdir(), '--no-recursion', '-cf', '-', '.']);
    await expect(read(folder)).rejects.toThrow('no file');
  });

  it('is not made of a name that does not fit, or of a file that changes its size', async () => {
    await expect(written([source('x'.repeat(101), Buffer.from(''))])).rejects.toThrow("can't be a name");
    await expect(written([source('a\u0000b', Buffer.from(''))])).rejects.toThrow("can't be a name");
    for (const size of [2, 4]) {
      const changed = { ...source('a', Buffer.from('abc')), size };
      await expect(written([changed])).rejects.toThrow('a changed while it was packed');
    }
  });
});
