import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backupName, oldestFirst, parseBackupName } from '../../src/app/backup-names.ts';
import { codePoint } from '../support/code-point.ts';

const owner = fc.record({ host: fc.string({ unit: codePoint }), id: fc.stringMatching(/^[0-9a-f]{8}$/) });
/** Whole seconds of the years a clock may show. */
const time = fc.integer({ min: 0, max: Date.UTC(2199, 0) / 1000 }).map((seconds) => seconds * 1000);

describe('the name of a backup', () => {
  it('says whose it is and when it was made, whatever the machine is called', () => {
    fc.assert(
      fc.property(owner, time, fc.boolean(), ({ host, id }, at, isPlain) => {
        const name = backupName({ host, id }, at, isPlain);
        expect(name).toMatch(/^tagkeep-[A-Za-z0-9]/);
        expect(name.length).toBeLessThanOrEqual(80);
        expect(parseBackupName(name)).toEqual({ name, id, at });
      }),
    );
  });

  it('begins with the name of the machine, as far as a file can have it', () => {
    const nameOf = (host: string) =>
      backupName({ host, id: '3fa9c2d1' }, Date.UTC(2026, 0, 31, 23, 59, 59), false);
    expect(nameOf('dock-1.site.example')).toBe('tagkeep-dock-1-site-example-3fa9c2d1-20260131-235959.tkb');
    expect(nameOf('../..')).toBe('tagkeep-box-3fa9c2d1-20260131-235959.tkb');
  });

  it.each(['tagkeep-20260131-235959.tkb', 'tagkeep-a-3fa9c2d1-20260131-235959.tkb.txt', 'x', ''])(
    '%s is none',
    (name) => {
      expect(parseBackupName(name)).toBeNull();
    },
  );
});

describe('the oldest', () => {
  it('are those of before by their time, but first the ones from when the clock ran ahead', () => {
    const named = [3, 9, 1, 8, 5].map((at) => ({ name: '', id: '', at }));
    expect(oldestFirst(named, 5).map(({ at }) => at)).toEqual([8, 9, 1, 3, 5]);
  });
});
