import { lstatSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBackup } from '../../src/app/backup.ts';
import type { Config } from '../../src/config/options.ts';
import { storeFile } from '../../src/store/store-file.ts';
import { BackupHouse, NOW } from '../support/backup-house.ts';

const house = new BackupHouse();
let appliance: Config;
beforeAll(async () => {
  appliance = await house.appliance();
}, 60_000);
afterAll(() => house.dispose());

const refusal = (target: string): Promise<unknown> =>
  makeBackup(house.options(appliance, { target })).then(
    () => 'made',
    (error: Error) => error.message,
  );

function folder(): string {
  const dir = house.fresh();
  mkdirSync(dir);
  return dir;
}

describe('a backup is not written over what the appliance lives in', () => {
  it('the store, the key of the authority, their folders, also by way of a link', async () => {
    const { dataDir, certsDir } = appliance;
    const [link, linked] = [house.fresh(), house.fresh()];
    symlinkSync(dataDir, link);
    symlinkSync(storeFile(dataDir), linked);
    const [store, key] = [storeFile(dataDir), join(certsDir, 'ca.key')];
    const before = [store, key].map((file) => readFileSync(file));
    for (const target of [store, dataDir, link, linked, join(link, 'db'), join(dataDir, 'new.tkb')])
      expect(await refusal(target)).toMatch(/ is in dataDir \(.+\); name a place outside of it$/);
    for (const target of [key, certsDir, join(certsDir, 'box.tkb')])
      expect(await refusal(target)).toMatch(/ is in certsDir \(.+\); name a place/);
    expect([store, key].map((file) => readFileSync(file))).toEqual(before);
  });

  it('a folder beside the data whose name begins the same, and one around it, are no part of it', async () => {
    for (const dir of [`${appliance.dataDir}-backups`, join(appliance.dataDir, '..', 'backups')]) {
      mkdirSync(dir);
      expect(await refusal(dir)).toBe('made');
    }
    expect(await refusal(join(appliance.dataDir, '..'))).toBe('made');
    expect(await refusal(join(appliance.dataDir, '..', '..box.tkb'))).toBe('made');
  });
});

describe('a file that is there', () => {
  it.each([
    ['a configuration', '{"http":{"port":8081}}\n'],
    ['a passphrase', 'correct horse battery\n'],
    ['an empty file', ''],
    ['another archive', Buffer.alloc(10_240).fill('photos/1.jpg', 0, 12)],
  ])('is kept when it is %s: only a backup is replaced by one', async (_, content) => {
    const target = house.fresh();
    writeFileSync(target, content);
    expect(await refusal(target)).toBe(
      `${target} is there already and is no backup; name another file, or remove it`,
    );
    expect(readFileSync(target)).toEqual(Buffer.from(content));
  });

  it.each([
    ['encrypted', Buffer.from('correct horse battery')],
    ['plain', null],
  ])('is replaced when it is a backup that is %s, also one that was cut short', async (_, passphrase) => {
    const target = house.fresh();
    const again = { target, passphrase };
    await makeBackup(house.options(appliance, again));
    writeFileSync(target, readFileSync(target).subarray(0, 1000));
    await makeBackup(house.options(appliance, again));
    await house.restored(target, passphrase);
  });

  it('is written where a link points, and the link stays; one that leads nowhere is refused', async () => {
    const [dir, link, lost] = [folder(), house.fresh(), house.fresh()];
    const target = join(dir, 'box.tkb');
    await makeBackup(house.options(appliance, { target }));
    symlinkSync(target, link);
    const done = await makeBackup(house.options(appliance, { target: link, now: NOW + 1000 }));
    expect([done.file, lstatSync(link).isSymbolicLink()]).toEqual([realpathSync(target), true]);
    await house.restored(target);
    symlinkSync(join(dir, 'none'), lost);
    expect(await refusal(lost)).toBe(`${lost} can't be written: there is no such file or folder`);
  });
});
