import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BackupOptions, makeBackup } from '../../src/app/backup.ts';
import { verifyBackup } from '../../src/app/backup-check.ts';
import { unpackBackup } from '../../src/app/backup-unpack.ts';
import { openDataFolder } from '../../src/app/data-folder.ts';
import { restoreBackup } from '../../src/app/restore.ts';
import type { Config } from '../../src/config/options.ts';
import { type TarSource, writeTar } from '../../src/lib/tar-stream.ts';
import { tables } from '../../src/store/tables.ts';
import { BackupHouse, changeStore, NOW, PASSPHRASE } from '../support/backup-house.ts';
import { canMount, SmallDisk } from '../support/small-disk.ts';

const house = new BackupHouse();
const { root } = house;
const fresh = (): string => house.fresh();
const configOf = (dir: string): Config => house.configOf(dir);

let appliance: Config;
const options = (more: Partial<BackupOptions> = {}): BackupOptions => house.options(appliance, more);
const made = (more: Partial<BackupOptions> = {}): Promise<string> => house.backup(appliance, more);
const restored = (file: string, passphrase: Buffer | null = PASSPHRASE): Promise<Config> =>
  house.restored(file, passphrase);

async function refused(file: string, passphrase: Buffer | null = PASSPHRASE): Promise<string> {
  const config = configOf(fresh());
  const outcome = await restoreBackup({ config, file, passphrase }).catch((error: Error) => error.message);
  expect([existsSync(config.dataDir), existsSync(config.certsDir)]).toEqual([false, false]);
  if (typeof outcome !== 'string') throw new Error('it was restored');
  expect(outcome).not.toContain('\n');
  return outcome;
}

function changed(file: string, change: (bytes: Buffer) => Buffer): string {
  const other = fresh();
  writeFileSync(other, change(readFileSync(file)));
  return other;
}

beforeAll(async () => {
  appliance = await house.appliance();
}, 60_000);
afterAll(() => house.dispose());

describe('a backup', () => {
  it.each([
    ['encrypted', PASSPHRASE],
    ['plain', null],
  ])('that is %s becomes the same appliance elsewhere: data, authority, modes', async (_, passphrase) => {
    const file = await made({ passphrase });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const config = await restored(file, passphrase);
    for (const name of ['ca.key', 'ca.crt', 'server.key', 'server.crt'])
      expect(readFileSync(join(config.certsDir, name))).toEqual(readFileSync(join(appliance.certsDir, name)));
    expect(statSync(join(config.certsDir, 'ca.key')).mode & 0o777).toBe(0o600);
    expect(statSync(config.dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(config.dataDir, 'db', 'tagkeep.mdb')).mode & 0o777).toBe(0o600);
    const both = [appliance, config].map(async (one) => {
      let users: unknown;
      await changeStore(one, async (store) => {
        users = [...store.range(tables.users)].map(({ value }) => value);
      });
      return users;
    });
    const [before, after] = await Promise.all(both);
    expect(after).toEqual(before);
  });

  it('holds the committed state of a store that is open and written to', async () => {
    const config = await house.appliance();
    const target = `${fresh()}.tkb`;
    await changeStore(config, async (store) => {
      await store.write((tx) => tx.put(tables.meta, 'before', 1));
      const backup = makeBackup(options({ config, target }));
      await store.write((tx) => tx.put(tables.meta, 'during', 1));
      await backup;
      await store.write((tx) => tx.put(tables.meta, 'after', 1));
      expect(store.get(tables.meta, 'during')).toBe(1);
    });
    await changeStore(await restored(target), async (store) => {
      expect(store.get(tables.meta, 'before')).toBe(1);
      expect(store.get(tables.meta, 'after')).toBeUndefined();
    });
  });

  it('has the configuration file, the settings, and says what it leaves out', async () => {
    const [configFile, cert] = [`${fresh()}.json`, `${fresh()}.pem`];
    writeFileSync(configFile, '{"http":{"port":8081}}');
    const config = { ...appliance, https: { ...appliance.https, certFile: cert, keyFile: cert } };
    const done = await makeBackup(options({ config, configFile }));
    expect(done.warnings.join()).toMatch(/not in the backup.*https\.certFile.*https\.keyFile/);
    const { dataDir } = await restored(done.file);
    const kept = join(dataDir, 'restored-config');
    expect(readFileSync(join(kept, 'appliance.config.json'), 'utf8')).toBe('{"http":{"port":8081}}');
    expect(JSON.parse(readFileSync(join(kept, 'settings.json'), 'utf8')).dataDir).toBe(appliance.dataDir);
  });

  it('tells of every file that the configuration names and it leaves out', async () => {
    const secret = `${fresh()}.txt`;
    writeFileSync(secret, 'the key of keys\n', { mode: 0o600 });
    const keys = [
      'https.certFile',
      'https.keyFile',
      'backup.passphraseFile',
      'mail.passwordFile',
      'mail.caFile',
    ];
    const { https, backup, mail, pki } = appliance;
    const config = {
      ...appliance,
      https: { ...https, certFile: '/x/https.certFile', keyFile: '/x/https.keyFile' },
      pki: { ...pki, passphraseFile: secret },
      backup: { ...backup, passphraseFile: '/x/backup.passphraseFile' },
      mail: { ...mail, passwordFile: '/x/mail.passwordFile', caFile: '/x/mail.caFile' },
    };
    const { warnings } = await makeBackup(options({ config }));
    const left = (name: string, key: string): string =>
      `not in the backup, keep it elsewhere: ${name} (${key})`;
    const expected = [...keys.map((key) => left(key, key)), left(basename(secret), 'pki.passphraseFile')];
    expect([...warnings].sort()).toEqual(expected.sort());
  });

  it('is looked through by verify, which counts every table and leaves nothing', async () => {
    const [file, workDir] = [await made(), fresh()];
    mkdirSync(workDir);
    const { manifest, records, warnings } = await verifyBackup({
      ...{ file, workDir },
      passphrase: PASSPHRASE,
      passphraseFile: null,
    });
    expect(manifest).toMatchObject({
      createdAt: '2026-11-21T09:30:05.000Z',
      tables: { orgs: 1, users: 1, sites: 1 },
    });
    expect(records).toBe(Object.values(manifest.tables).reduce((sum, count) => sum + count, 0));
    expect(warnings).toEqual([]);
    expect(readdirSync(workDir)).toEqual([]);
  });

  it('replaces the file of that name only when it is whole; a pipe or a missing folder is refused', async () => {
    const target = `${fresh()}.tkb`;
    await makeBackup(options({ target, passphrase: null }));
    await makeBackup(options({ target, now: NOW + 1000 }));
    await restored(target);
    await expect(made({ target: '/dev/null' })).rejects.toThrow(
      "/dev/null can't be written: it is not a file",
    );
    await expect(made({ target: join(root, 'none', 'x.tkb') })).rejects.toThrow(
      'there is no such file or folder',
    );
  });

  it('is not made of a folder without an appliance, or of an authority that does not fit', async () => {
    await expect(made({ config: configOf(fresh()) })).rejects.toThrow('has no appliance yet');
    const config = await house.appliance();
    rmSync(join(config.certsDir, 'ca.key'));
    await expect(made({ config })).rejects.toThrow('ca.key is missing');
    writeFileSync(join(config.certsDir, 'ca.key'), readFileSync(join(appliance.certsDir, 'ca.key')));
    await expect(made({ config })).rejects.toThrow('ca.key and ca.crt do not belong together');
  });
});

describe('a key that is encrypted', () => {
  it('stays so in the backup; its passphrase is not in it, and is needed to check it', async () => {
    const [secret, wrong] = [`${fresh()}.txt`, `${fresh()}.txt`];
    writeFileSync(secret, 'the key of keys\n', { mode: 0o600 });
    writeFileSync(wrong, 'another\n', { mode: 0o600 });
    const config = await house.appliance({ TAGKEEP_PKI__PASSPHRASE_FILE: secret });
    const done = await makeBackup(options({ config, passphrase: null }));
    expect(done.warnings.join()).toContain('pki.passphraseFile');
    const bytes = readFileSync(done.file);
    expect(bytes.includes('BEGIN ENCRYPTED PRIVATE KEY')).toBe(true);
    expect(bytes.includes('the key of keys')).toBe(false);
    const check = (passphraseFile: string | null) =>
      verifyBackup({ file: done.file, passphrase: null, passphraseFile, workDir: root });
    expect((await check(secret)).warnings).toEqual([]);
    expect((await check(null)).warnings.join()).toContain('was not opened');
    await expect(check(wrong)).rejects.toThrow('does not open it');
  });
});

describe('a restore', () => {
  let file: string;
  let plain: string;
  beforeAll(async () => {
    file = await made();
    plain = await made({ passphrase: null });
  });

  it('refuses a wrong passphrase, none, or one for a plain backup', async () => {
    expect(await refused(file, Buffer.from('wrong'))).toContain('the passphrase is wrong');
    expect(await refused(file, null)).toContain('it is encrypted');
    expect(await refused(plain)).toContain('it is not encrypted');
  });

  it('refuses a damaged, shortened or foreign file, encrypted or not', async () => {
    const turned = (bytes: Buffer): Buffer => bytes.fill((bytes[9000] ?? 0) ^ 1, 9000, 9001);
    expect(await refused(changed(file, turned))).toContain('damaged');
    expect(await refused(changed(plain, turned), null)).toContain('its db/tagkeep.mdb is damaged');
    for (const length of [0, 20, 700, -1, -1100])
      for (const [whole, passphrase] of [
        [file, PASSPHRASE],
        [plain, null],
      ] as const)
        await refused(
          changed(whole, (bytes) => bytes.subarray(0, length)),
          passphrase,
        );
    expect(await refused(join(root, 'none'))).toContain('there is no such file');
    expect(await refused(root, null)).toContain('it is a folder');
  });

  it('refuses an archive with other names than a backup has, whatever they say', async () => {
    for (const name of ['../../x', '/etc/x', 'db/other.mdb', 'certs/x', 'constructor']) {
      const bytes = Buffer.from('x');
      const source: TarSource = { name, size: 1, modifiedAt: NOW, content: each([bytes]) };
      const other = fresh();
      writeFileSync(other, await whole(writeTar(each([source]))));
      expect(await refused(other, null)).toContain('which no backup has');
    }
  });

  it('refuses a schema that is newer than this version', async () => {
    const config = await house.appliance();
    await changeStore(config, (store) => store.write((tx) => tx.put(tables.meta, 'schemaVersion', 99)));
    expect(await refused(await made({ config }))).toMatch(/newer Tagkeep \(schema 99\)/);
  });

  it('refuses a folder that is served, one with data, and one with another authority; nothing there changes', async () => {
    const config = configOf(fresh());
    const served = openDataFolder(config.dataDir);
    const restore = (): Promise<unknown> => restoreBackup({ config, file, passphrase: PASSPHRASE });
    await expect(restore()).rejects.toThrow(/another tagkeep .* is serving/);
    served.close();
    mkdirSync(config.certsDir);
    writeFileSync(join(config.certsDir, 'ca.crt'), 'mine');
    await expect(restore()).rejects.toThrow('ca.crt is there already');
    expect(readdirSync(config.certsDir)).toEqual(['ca.crt']);
    expect(readdirSync(config.dataDir)).toEqual(['run']);
    mkdirSync(join(config.dataDir, 'db'));
    await expect(restore()).rejects.toThrow('is not empty (it has db)');
  });

  it('removes nothing from a folder that it refuses', async () => {
    const config = configOf(fresh());
    const names = ['.restore-abc', 'restored-config', 'zebra'];
    for (const name of names) mkdirSync(join(config.dataDir, name), { recursive: true });
    const restore = restoreBackup({ config, file, passphrase: PASSPHRASE });
    await expect(restore).rejects.toThrow(
      /is not empty \(it has zebra\); stop the service and move .* away; on a new box .* --no-start$/,
    );
    expect(readdirSync(config.dataDir).sort()).toEqual([...names, 'run'].sort());
  });

  it('goes on where one that was killed stopped', async () => {
    const config = configOf(fresh());
    mkdirSync(join(config.dataDir, '.restore-abc', 'db'), { recursive: true });
    mkdirSync(join(config.dataDir, 'restored-config'));
    mkdirSync(config.certsDir);
    writeFileSync(join(config.certsDir, 'ca.key'), readFileSync(join(appliance.certsDir, 'ca.key')));
    await restoreBackup({ config, file, passphrase: PASSPHRASE });
    expect(readdirSync(config.dataDir).sort()).toEqual(['db', 'restored-config', 'run']);
    expect(readdirSync(config.certsDir).length).toBe(4);
  });

  it.runIf(canMount())('and a backup to a full disk say so in one line and leave nothing', async () => {
    const disk = new SmallDisk('size=2m');
    try {
      disk.fill();
      expect(await made({ target: disk.dir }).catch((error: Error) => error.message)).toMatch(
        /^\S+\.tkb can't be written: the disk is full$/,
      );
      expect(readdirSync(disk.dir)).toEqual(['ballast']);
      const workDir = made({ workDir: disk.dir });
      await expect(workDir).rejects.toThrow(/ 0 MB free, \d+ MB are needed; name a folder with room/);
      const config = { ...configOf(fresh()), dataDir: join(disk.dir, 'data') };
      const restoring = restoreBackup({ config, file, passphrase: PASSPHRASE });
      await expect(restoring).rejects.toThrow(/on a full disk/);
      disk.empty();
      const again = restoreBackup({ config, file, passphrase: PASSPHRASE });
      await expect(again).rejects.toThrow(/has \d MB free, 17 MB are needed/);
      expect(readdirSync(disk.dir)).toEqual([]);
      disk.fill();
      const unpacking = unpackBackup(file, { into: disk.dir, passphrase: PASSPHRASE });
      await expect(unpacking).rejects.toThrow(`${disk.dir} can't be written: the disk is full`);
    } finally {
      disk.remove();
    }
  });

  it('into a folder that others may read closes it', async () => {
    const config = configOf(fresh());
    mkdirSync(config.dataDir, { recursive: true });
    chmodSync(config.dataDir, 0o755);
    await restoreBackup({ config, file, passphrase: PASSPHRASE });
    expect(statSync(config.dataDir).mode & 0o777).toBe(0o700);
  });
});

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function whole(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const part of parts) found.push(part);
  return Buffer.concat(found);
}
