import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeWorkFolder } from '../../src/app/work-folder.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'tagkeep-work-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** No process has this number: it is above what Linux gives. */
const DEAD = `${2 ** 22 + 1}-1`;

it('a folder of this process is its own and private, and a second one does not remove it', async () => {
  const first = await makeWorkFolder(parent, 'verify-a');
  const second = await makeWorkFolder(parent, 'verify-a');
  expect(readdirSync(parent).sort()).toEqual([basename(first), basename(second)].sort());
  expect(statSync(first).mode & 0o777).toBe(0o700);
});

it('those of processes that are gone go, but none of another purpose, name, mode or kind', async () => {
  const make = (name: string, mode = 0o700): string => {
    mkdirSync(join(parent, name), { mode: 0o700 });
    chmodSync(join(parent, name), mode);
    return name;
  };
  make(`tagkeep-verify-a-${DEAD}-abcdef`);
  // The number is in use again, by a process that began at another time.
  make(`tagkeep-verify-a-${process.pid}-1-abcdef`);
  const kept = [
    make(`tagkeep-verify-b-${DEAD}-abcdef`),
    make(`tagkeep-verify-a-${DEAD}-abcdefg`),
    make(`tagkeep-verify-a-${DEAD}-opened`, 0o755),
  ];
  symlinkSync(parent, join(parent, `tagkeep-verify-a-${DEAD}-linked`));
  const made = await makeWorkFolder(parent, 'verify-a');
  const all = [...kept, `tagkeep-verify-a-${DEAD}-linked`, basename(made)];
  expect(readdirSync(parent).sort()).toEqual(all.sort());
});
