import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBackup } from '../../src/app/backup.ts';
import type { Config } from '../../src/config/options.ts';
import { BackupHouse, idOf, NOW } from '../support/backup-house.ts';

const house = new BackupHouse();
let appliance: Config;
beforeAll(async () => {
  appliance = await house.appliance();
}, 60_000);
afterAll(() => house.dispose());

function folder(): string {
  const dir = house.fresh();
  mkdirSync(dir);
  return dir;
}

function ownName(time: string): string {
  const host = hostname().replaceAll(/[^A-Za-z0-9]+/g, '-');
  return `tagkeep-${host}-${idOf(appliance.certsDir)}-${time}.tkb`;
}

describe('a backup', () => {
  it('in a folder gets the name of machine, appliance and time; the oldest of ours go, nothing else', async () => {
    const dir = folder();
    const foreign = [
      ...['notes.tkb', `${ownName('20200101-000000')}.txt`, 'tagkeep-old.tar'],
      ...['tagkeep-box-00000000-20200101-000000.tkb', '.x.tkb.tagkeep-00000000-0123456789abcdef.tmp'],
    ];
    for (const name of foreign) writeFileSync(join(dir, name), '');
    const killed = `.${ownName('20200101-000000')}.tagkeep-${idOf(appliance.certsDir)}-0123456789abcdef.tmp`;
    writeFileSync(join(dir, killed), 'of one that was killed');
    const names: string[] = [];
    for (const now of [NOW, NOW, NOW + 86_400_000]) {
      const done = await makeBackup(house.options(appliance, { target: dir, now, keep: 2 }));
      names.push(...done.removed);
    }
    expect(names).toEqual([ownName('20261121-093005')]);
    const kept = [ownName('20261121-093006'), ownName('20261122-093005')];
    expect(readdirSync(dir).sort()).toEqual([...foreign, ...kept].sort());
  });

  it('is never what --keep removes, however far ahead the clock was before; those from then go first', async () => {
    const dir = folder();
    const ahead = ['20281121-093005', '20291121-093005'].map(ownName);
    for (const name of ahead) writeFileSync(join(dir, name), '');
    const all: string[] = [...ahead];
    for (const day of [0, 1, 2]) {
      const done = await makeBackup(
        house.options(appliance, { target: dir, now: NOW + day * 86_400_000, keep: 2 }),
      );
      all.push(basename(done.file));
      expect(done.removed).toEqual([all[day]]);
      expect(readdirSync(dir).sort()).toEqual(all.slice(-2).sort());
    }
  });

  it('shares its folder with those of another appliance, and one restored elsewhere goes on with them', async () => {
    const dir = folder();
    const config = await house.appliance();
    const first = await makeBackup(house.options(appliance, { target: dir, now: NOW, keep: 1 }));
    const second = await makeBackup(house.options(config, { target: dir, now: NOW, keep: 1 }));
    expect([first.removed, second.removed]).toEqual([[], []]);
    const moved = await house.restored(first.file);
    const later = await makeBackup(house.options(moved, { target: dir, now: NOW + 1000, keep: 1 }));
    expect(later.removed).toEqual([basename(first.file)]);
    expect(readdirSync(dir).sort()).toEqual([basename(second.file), basename(later.file)].sort());
  });
});
