import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BackupList } from '../../src/app/backup-list.ts';
import type { BackupFigures } from '../../src/app/backup-schedule.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openAuthority } from '../../src/pki/authority.ts';
import { idOf } from '../support/backup-house.ts';

const now = Date.UTC(2026, 2, 2, 9);
let root: string;
let id: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tagkeep-list-'));
  await openAuthority({ certsDir: join(root, 'certs'), passphraseFile: null, now });
  id = idOf(join(root, 'certs'));
}, 60_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

function list(
  dir: string | null,
  last: BackupFigures['last'] = null,
  { lookMs, certs = join(root, 'certs') }: { lookMs?: number; certs?: string } = {},
): BackupList {
  const env = { TAGKEEP_CERTS_DIR: certs, TAGKEEP_BACKUP__PLAIN: 'true' };
  const config = loadConfig({
    env: { ...env, ...(dir !== null && { TAGKEEP_BACKUP__DIR: dir }) },
    cwd: root,
  });
  const figures = { intervalSeconds: 0, lastSuccessAt: null, failures: 0, last };
  const schedule = { figures, isRunning: false };
  return new BackupList({ config, schedule, now: () => now, ...(lookMs !== undefined && { lookMs }) });
}

test('without a folder there is no schedule and no file', async () => {
  expect(await list(null).tell()).toEqual({ schedule: null, running: false, last: null, files: [] });
});

test('backups of this appliance alone, newest first, up to 100; names from the future are the oldest', async () => {
  const dir = join(root, 'many');
  mkdirSync(dir);
  const put = (name: string): void => writeFileSync(join(dir, name), 'seven b');
  for (let n = 0; n < 110; n++)
    put(`tagkeep-box-${id}-202601${10 + (n % 20)}-0000${10 + Math.floor(n / 20)}.tar`);
  for (const name of [
    `tagkeep-box-${id}-20990101-000000.tar`,
    'tagkeep-box-00000000-20260301-000000.tar',
    'notes.txt',
  ])
    put(name);
  const { files, schedule } = await list(dir).tell();
  expect(schedule).toEqual({ folder: dir, at: '02:00', everyHours: 24, keep: 14, encrypted: false });
  expect(files).toHaveLength(100);
  expect(files[0]).toEqual({
    ...{ name: `tagkeep-box-${id}-20260129-000014.tar`, bytes: 7, at: '2026-01-29T00:00:14.000Z' },
  });
  expect(files.map(({ at }) => at)).toEqual(
    files
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  expect(files.every(({ name }) => name.includes(id) && !name.includes('2099'))).toBe(true);
});

test('what came of the last one: its file and size, or why it failed', async () => {
  const at = now - 1000;
  const told = async (last: BackupFigures['last']) => (await list(null, last).tell()).last;
  const shown = new Date(at).toISOString();
  const made = { at, seconds: 2, bytes: 7, error: null };
  expect(await told({ ...made, file: 'a.tkb' })).toEqual({ at: shown, ok: true, bytes: 7, file: 'a.tkb' });
  expect(await told(made)).toEqual({ at: shown, ok: true, bytes: 7 });
  expect(await told({ ...made, bytes: 0, error: 'full' })).toEqual({ at: shown, ok: false, error: 'full' });
});

test('a folder that is not there is told in a word and is no failure', async () => {
  const dir = join(root, 'gone');
  expect(await list(dir).tell()).toMatchObject({
    ...{ files: [], problem: `${dir} can't be read: there is no such file or folder` },
  });
});

test('a disk that does not answer is waited for in one place only, and not for long', async () => {
  const certs = join(root, 'hanging');
  mkdirSync(certs);
  // Whoever opens it to read waits until somebody opens it to write.
  execFileSync('mkfifo', [join(certs, 'ca.crt')]);
  const one = list(root, null, { lookMs: 50, certs });
  try {
    const told = await Promise.all(Array.from({ length: 8 }, () => one.tell()));
    expect(told.map(({ problem }) => problem)).toEqual(
      Array(8).fill(`${root} does not answer within 0.05 s`),
    );
    // Four such looks would leave no thread for anything else.
    await expect(readdir(root)).resolves.toContain('hanging');
  } finally {
    closeSync(openSync(join(certs, 'ca.crt'), 'w'));
  }
  expect((await one.tell()).problem).toMatch(/ can't be read: .*ca\.crt/);
});
