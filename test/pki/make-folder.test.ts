import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from '../../src/pki/make-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'tagkeep-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

test('missing parents are made too, for their owner alone; a folder that is there stays', () => {
  const dir = join(root, 'a', 'b', 'c');
  expect(makeFolder(dir)).toBe(true);
  expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700);
  expect(makeFolder(dir)).toBe(false);
});

test('a folder that cannot be made where its parent is there is an error, not an endless loop', () => {
  expect(() => makeFolder('/proc/tagkeep')).toThrow(/ENOENT/);
});

test('a file in the way is an error', () => {
  writeFileSync(join(root, 'file'), '');
  expect(() => makeFolder(join(root, 'file'))).toThrow(/EEXIST/);
  expect(() => makeFolder(join(root, 'file', 'below'))).toThrow(/ENOTDIR/);
});
