import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BackupSchedule, type BackupScheduleOptions } from '../../src/app/backup-schedule.ts';
import { checkBackups } from '../../src/app/doctor-backups.ts';
import type { Sight } from '../../src/app/doctor-sight.ts';
import { takeLock } from '../../src/app/serve-lock.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/options.ts';
import { createLog } from '../../src/log/log.ts';
import { idOf } from '../support/backup-house.ts';
import { until } from '../support/wait.ts';

const DAY = 86_400_000;
const REAL = [process.execPath, 'dist/tagkeep.mjs'];
const root = mkdtempSync(join(tmpdir(), 'tagkeep-schedule-'));
const passphraseFile = join(root, 'passphrase');
const running: BackupSchedule[] = [];
let folders = 0;
let made = '';
const logged: string[] = [];
const log = createLog({ level: 'info', pretty: false, out: { write: (line) => logged.push(line) } });

beforeAll(() => {
  writeFileSync(passphraseFile, 'correct horse battery\n', { mode: 0o600 });
  made = join(root, 'made');
  const env = {
    ...process.env,
    TAGKEEP_DATA_DIR: join(made, 'data'),
    TAGKEEP_CERTS_DIR: join(made, 'certs'),
    TAGKEEP_MQTTS__HOST: '127.0.0.1',
  };
  execFileSync(process.execPath, ['dist/tagkeep.mjs', 'init'], { env });
}, 60_000);
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
  logged.length = 0;
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const id = (): string => idOf(join(made, 'certs'));
const named = (end: string): string => `tagkeep-box-${id()}-${end}`;
const half = (): string => `.box.tkb.tagkeep-${id()}-0123456789abcdef.tmp`;

/** The appliance with a folder of backups of its own. */
function house(more: Record<string, string> = {}): { readonly config: Config; readonly dir: string } {
  const dir = join(root, `backups-${++folders}`);
  mkdirSync(dir);
  rmSync(join(made, 'data', 'run', 'last-backup.json'), { force: true });
  const env = {
    TAGKEEP_DATA_DIR: join(made, 'data'),
    TAGKEEP_CERTS_DIR: join(made, 'certs'),
    TAGKEEP_BACKUP__DIR: dir,
    ...(more.TAGKEEP_BACKUP__PLAIN ? {} : { TAGKEEP_BACKUP__PASSPHRASE_FILE: passphraseFile }),
    ...more,
  };
  return { config: loadConfig({ env, cwd: root }), dir };
}

function schedule(config: Config, more: Partial<BackupScheduleOptions> = {}): BackupSchedule {
  const one = new BackupSchedule({
    ...{ config, program: REAL, log, now: Date.now, lookMs: 20, retryMs: 50 },
    ...more,
  });
  running.push(one);
  one.start();
  return one;
}

/** A stand-in for the program: a script of Node that gets the arguments. */
function standIn(script: string): readonly string[] {
  const file = join(root, `program-${++folders}.mjs`);
  writeFileSync(file, script);
  return [process.execPath, file];
}

const SAYS_DONE = `process.stdout.write(JSON.stringify({ file: 'f', bytes: 7, removed: [], warnings: [] }));`;
const HANGS = "process.on('SIGTERM', () => {}); console.error('here'); setInterval(() => {}, 1000);";

const sees = async (config: Config, now = Date.now()): Promise<readonly string[]> => {
  // The check looks at no more than these.
  const findings = await checkBackups({ config, now } as Sight);
  return findings.map(({ level, message }) => `${level}: ${message}`);
};

describe('a scheduled backup', () => {
  it('is made at once where there is none, can be verified, and no second one comes before it is due', async () => {
    const { config, dir } = house();
    const one = schedule(config);
    expect(await sees(config)).toContain('warning: there is no backup yet');
    await until('the first one', () => one.figures.last);
    const [name = '', ...more] = readdirSync(dir);
    expect([name, more]).toEqual([expect.stringMatching(/^tagkeep-.+-\d{8}-\d{6}\.tkb$/), []]);
    const args = ['dist/tagkeep.mjs', 'verify', join(dir, name), '--passphrase-file', passphraseFile];
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toContain('can be restored');
    const { last, ...figures } = one.figures;
    expect(figures).toMatchObject({ intervalSeconds: 86_400, failures: 0 });
    expect(last).toMatchObject({ error: null, bytes: expect.any(Number) });
    await one.stop();
    const again = schedule(config, { program: standIn('process.exit(1)') });
    await until('it has looked', () => again.figures.lastSuccessAt);
    expect(again.figures).toMatchObject({ failures: 0, last: { bytes: last?.bytes } });
    expect((await sees(config))[0]).toMatch(/^ok: the newest backup is of /);
    expect((await sees(config, Date.now() + 3 * DAY))[0]).toMatch(/^warning: .*; one is due every 24 h$/);
    expect(logged.filter((line) => line.includes('a scheduled backup was made'))).toHaveLength(1);
    expect(logged.join('')).not.toContain('correct horse');
  });

  it('comes again when the next time has come, also one that was missed; the oldest go, nothing else does', async () => {
    const { config, dir } = house({ TAGKEEP_BACKUP__PLAIN: 'true', TAGKEEP_BACKUP__KEEP: '2' });
    const others = ['notes.txt', `${named('20200101-000000.tar')}.txt`, `${named('20200101-000000.tar')}.gz`];
    for (const name of [...others, named('20200101-000000.tar'), named('20200102-000000.tar')])
      writeFileSync(join(dir, name), 'x');
    const one = schedule(config);
    await until('the missed one', () => one.figures.last?.error === null && one.figures.last);
    const names = readdirSync(dir).filter((name) => !others.includes(name));
    expect(names).toEqual([named('20200102-000000.tar'), expect.stringMatching(/-20[23]\d{5}-\d{6}\.tar$/)]);
    expect(readdirSync(dir)).toEqual(expect.arrayContaining(others));
  });

  it('whose time lies ahead, from before the clock was set back, does not stand for one of today', async () => {
    const { config, dir } = house({ TAGKEEP_BACKUP__PLAIN: 'true', TAGKEEP_BACKUP__KEEP: '1' });
    writeFileSync(join(dir, named('20990101-000000.tar')), 'x');
    const one = schedule(config);
    await until('one of today', () => one.figures.last?.error === null && one.figures.last);
    expect(readdirSync(dir)).toEqual([expect.stringMatching(/-20[2-8]\d{5}-\d{6}\.tar$/)]);
  });

  it('is not begun while another one runs', async () => {
    const { config } = house();
    const lock = takeLock(join(config.dataDir, 'run', 'backup.pid'));
    if (lock.kind === 'held') throw new Error('held');
    let looked = 0;
    const now = (): number => {
      looked++;
      return Date.now();
    };
    const one = schedule(config, { program: standIn(SAYS_DONE), now });
    await until('it has looked many times', () => looked > 30);
    expect(one.figures.last).toBeNull();
    lock.release();
    await until('its turn', () => one.figures.last?.bytes === 7);
  });
});

describe('a backup that somebody asks for', () => {
  it('is made although none is due, counts like the others, and names its file', async () => {
    const { config, dir } = house();
    writeFileSync(join(dir, named('20990101-000000.tkb')), 'x');
    const one = schedule(config);
    await until('the scheduled one', () => one.figures.last?.error === null && !one.isRunning);
    const before = readdirSync(dir).length;
    one.begin();
    expect(one.isRunning).toBe(true);
    await until('the one asked for', () => !one.isRunning);
    expect(readdirSync(dir)).toHaveLength(before + 1);
    expect(readdirSync(dir)).toContain(one.figures.last?.file);
    expect(one.figures).toMatchObject({ failures: 0, last: { error: null } });
  });

  it('is not made twice, waits for no rest after a failure, and its failure ends the wish', async () => {
    const { config } = house();
    const runs = join(root, `runs-${folders}`);
    const counts = `import fs from 'node:fs'; fs.appendFileSync(${JSON.stringify(runs)}, 'x');`;
    const program = standIn(`${counts} console.error('tagkeep: no'); process.exit(1)`);
    const one = schedule(config, { program, retryMs: 60_000 });
    await until('the failure', () => one.figures.failures === 1);
    for (let n = 0; n < 3; n++) one.begin();
    await until('the second', () => one.figures.failures === 2 && !one.isRunning);
    expect([readFileSync(runs, 'utf8'), one.figures.last?.error]).toEqual(['xx', 'no']);
  });

  it('is not begun while a command makes one, nor without a folder', async () => {
    const { config } = house();
    const none = schedule(loadConfig({ env: { TAGKEEP_DATA_DIR: join(root, 'none') }, cwd: root }));
    none.begin();
    expect(none.isRunning).toBe(false);
    const one = schedule(config, { program: standIn(SAYS_DONE) });
    await until('the first', () => one.figures.last?.bytes === 7 && !one.isRunning);
    const lock = takeLock(join(config.dataDir, 'run', 'backup.pid'));
    if (lock.kind === 'held') throw new Error('held');
    const { at } = one.figures.last ?? {};
    one.begin();
    expect(one.isRunning).toBe(true);
    lock.release();
    expect([one.isRunning, one.figures.last?.at]).toEqual([false, at]);
  });
});

describe('a scheduled backup that fails', () => {
  it('says why in the log, the figures and the doctor, is tried again, and costs no older one', async () => {
    const { config, dir } = house();
    writeFileSync(join(dir, named('20200101-000000.tkb')), 'old');
    const program = standIn(
      "process.stderr.write('warning: x\\ntagkeep: the disk is full\\n'); process.exit(1)",
    );
    const one = schedule(config, { program });
    await until('two attempts', () => one.figures.failures >= 2);
    expect(one.figures.last?.error).toBe('the disk is full');
    expect(await sees(config)).toContain('warning: the last one failed: the disk is full');
    expect(logged[0]).toMatch(/"level":"error".*"reason":"the disk is full"/);
    expect(readdirSync(dir)).toEqual([named('20200101-000000.tkb')]);
  });

  it.each([
    [
      'is not there',
      (dir: string) => rmSync(dir, { recursive: true }),
      /can't be used: there is no such file/,
    ],
    [
      'is a file',
      (dir: string) => {
        rmSync(dir, { recursive: true });
        writeFileSync(dir, '');
      },
      /can't be used: it is not a folder/,
    ],
  ] as const)('because its folder %s makes none', async (_what, spoil, reason) => {
    const { config, dir } = house();
    spoil(dir);
    const one = schedule(config);
    await until('the failure', () => one.figures.failures > 0);
    expect(one.figures.last?.error).toMatch(reason);
    expect((await sees(config)).join()).toMatch(/^warning: can't be used/);
    expect(existsSync(join(dir, 'x'))).toBe(false);
  });

  it('because the passphrase is gone says so', async () => {
    const { config } = house({ TAGKEEP_BACKUP__PASSPHRASE_FILE: join(root, 'none') });
    const one = schedule(config, { retryMs: 60_000 });
    await until('the failure', () => one.figures.failures > 0);
    expect(one.figures.last?.error).toMatch(/none can't be read/);
    expect((await sees(config)).join()).toMatch(/backup.passphraseFile can't be read: there is no such file/);
  });

  it('because it takes too long, or says nothing, is ended and leaves no half file', async () => {
    const { config, dir } = house();
    const left = join(dir, half());
    writeFileSync(left, 'half');
    const staging = join(config.dataDir, 'run', 'backup');
    mkdirSync(staging);
    const one = schedule(config, { program: standIn(HANGS), limitMs: 300, retryMs: 60_000 });
    await until('the failure', () => one.figures.failures > 0);
    expect(one.figures.last?.error).toMatch(/^took longer than/);
    expect([readdirSync(dir), existsSync(staging)]).toEqual([[], false]);
    const mute = schedule(config, { program: standIn(''), retryMs: 60_000 });
    await until('the failure', () => mute.figures.failures > 0);
    const none = schedule(config, { program: [join(root, 'no-such-program')], retryMs: 60_000 });
    await until('the failure', () => none.figures.failures > 0);
    expect(none.figures.last?.error).toMatch(/^can't be started: /);
  });

  it('is no failure when the appliance stops: the child is gone within seconds, and so is what it had begun', async () => {
    const { config, dir } = house();
    const pidFile = join(root, 'pid');
    symlinkSync('/dev/null', join(dir, half()));
    const program = standIn(
      `import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); ${HANGS}`,
    );
    const one = schedule(config, { program });
    const pid = await until('the child', () => existsSync(pidFile) && Number(readFileSync(pidFile, 'utf8')));
    const began = performance.now();
    await one.stop();
    expect(performance.now() - began).toBeLessThan(4000);
    expect(() => process.kill(pid, 0)).toThrow();
    expect([one.figures.failures, readdirSync(dir), logged]).toEqual([0, [], []]);
  });
});

describe('without backup.dir', () => {
  it('none is made, and the doctor notes it', async () => {
    const config = loadConfig({ env: {}, cwd: root });
    const one = schedule(config, { program: standIn(SAYS_DONE) });
    expect(one.figures).toEqual({ intervalSeconds: 0, failures: 0, last: null, lastSuccessAt: null });
    expect(await sees(config)).toEqual(['note: no backups are scheduled']);
  });
});
