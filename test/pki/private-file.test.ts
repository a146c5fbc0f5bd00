import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFile, readSmallFile, replaceFile, sweepLeftovers } from '../../src/pki/private-file.ts';
import { folders } from './fixture.ts';

const folder = folders();

test('of many creating one file, one wins, and the file is the one it wrote', async () => {
  const path = join(await folder(), 'ca.key');
  const won = await Promise.all(
    ['a', 'b', 'c', 'd', 'e'].map((each) => createFile(path, each.repeat(5000), 0o600)),
  );
  expect(won.filter(Boolean)).toHaveLength(1);
  expect(await readFile(path, 'utf8')).toBe('abcde'[won.indexOf(true)]?.repeat(5000));
});

test('a sweep by a process that starts meanwhile does not make a write fail', async () => {
  const dir = await folder();
  const names = Array.from({ length: 20 }, (_, index) => `f${index}`);
  const writes = names.map((name, index) => {
    const write = index % 2 === 0 ? replaceFile : createFile;
    return write(join(dir, name), name, 0o600);
  });
  const sweeps = [1, 2, 3].map(() => sweepLeftovers(dir, names));
  await Promise.all([...writes, ...sweeps]);
  expect((await readdir(dir)).sort()).toEqual([...names].sort());
});

test('a write into a folder that is not there names the file and the reason', async () => {
  const path = join(await folder(), 'missing', 'server.key');
  await expect(replaceFile(path, '', 0o600)).rejects.toThrow(`${path}: cannot be written (ENOENT)`);
  await expect(createFile(path, '', 0o600)).rejects.toThrow(`${path}: cannot be written (ENOENT)`);
});

test('a file of 64 kB is read, a larger one refused, none is null', async () => {
  const path = join(await folder(), 'file');
  expect(await readSmallFile(path)).toBeNull();
  await writeFile(path, 'x'.repeat(65_536));
  expect(await readSmallFile(path)).toHaveLength(65_536);
  await writeFile(path, 'x'.repeat(65_537));
  await expect(readSmallFile(path)).rejects.toThrow(`${path}: over 64 kB`);
});
