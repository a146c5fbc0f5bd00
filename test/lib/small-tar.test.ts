import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tarOf } from '../../src/lib/small-tar.ts';

const MARCH = Date.UTC(2026, 2, 2, 9, 15, 37);
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tagkeep-tar-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Lets the system's tar list or unpack an archive, which it must do without a word of complaint. */
function tar(args: readonly string[], archive: Uint8Array): string {
  writeFileSync(join(dir, 'archive.tar'), archive);
  return execFileSync('tar', [...args, '-f', 'archive.tar'], {
    cwd: dir,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, TZ: 'UTC' },
  });
}

describe('an archive', () => {
  it('is unpacked by the system’s tar byte for byte, whatever the sizes', () => {
    const sizes = [0, 1, 511, 512, 513, 10_240, 100_000];
    const files = sizes.map((size) => ({
      name: `f/${size}`,
      data: Uint8Array.from({ length: size }, (_, i) => (i * 31 + size) % 256),
    }));
    tar(['-x', '--no-same-owner'], tarOf(files, MARCH));
    for (const { name, data } of files)
      expect(Buffer.compare(readFileSync(join(dir, name)), data), name).toBe(0);
    const { mode, mtimeMs } = statSync(join(dir, 'f/513'));
    expect([mode & 0o777, mtimeMs]).toEqual([0o600, MARCH]);
  });

  it('keeps the order, and names of up to 100 bytes', () => {
    const long = `${'d'.repeat(50)}/${'n'.repeat(49)}`;
    const names = ['b', 'a', long];
    const archive = tarOf(
      names.map((name) => ({ name, data: new Uint8Array(3) })),
      MARCH,
    );
    expect(tar(['-t'], archive).trim().split('\n')).toEqual(names);
    expect(archive.length % 10_240).toBe(0);
  });

  it('has no room for names that would lead elsewhere or be cut', () => {
    for (const name of ['', '/etc/passwd', 'é', 'a b', 'n'.repeat(101)])
      expect(() => tarOf([{ name, data: new Uint8Array() }], MARCH), name).toThrow("can't be in an archive");
  });

  it('of no files is one that tar takes', () => {
    expect(tar(['-t'], tarOf([], MARCH))).toBe('');
  });
});
