import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Appliance } from '../support/appliance.ts';
import { refusalOf } from '../support/command.ts';
import { until } from '../support/wait.ts';

const PATIENCE_MS = 60_000;
const PASSPHRASE = 'correct horse battery';
const appliance = new Appliance();
const dir = join(appliance.root, 'backups');
const config = join(appliance.root, 'site.json');
const passphraseFile = join(appliance.root, 'passphrase');

beforeAll(() => {
  mkdirSync(dir);
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
  writeFileSync(config, JSON.stringify({ backup: { dir: 'backups', passphraseFile: 'passphrase' } }));
});
afterAll(() => appliance.dispose());

const backups = () => readdirSync(dir);

async function figures(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${appliance.endpoints().http}/metrics`)).text();
  const found = text.matchAll(/^(tagkeep_backup_\w+) (\S+)$/gm);
  return new Map(Array.from(found, ([, name = '', value]) => [name, Number(value)]));
}

describe('scheduled backups of a real appliance', () => {
  test('a folder without a word on encryption refuses the start in one line that names both keys', async () => {
    const bad = join(appliance.root, 'bad.json');
    writeFileSync(bad, JSON.stringify({ backup: { dir: 'backups' } }));
    const said = refusalOf(await appliance.cli('serve', '--config', bad));
    expect(said).toMatch(/neither backup\.passphraseFile nor backup\.plain is/);
    expect(existsSync(appliance.dataDir)).toBe(false);
  });

  test(
    'the first is made soon after the start, encrypted, with the configuration named, and can be verified',
    async () => {
      await appliance.start(['--config', config]);
      await until('a backup', () => backups().some((name) => name.endsWith('.tkb')), 30_000);
      await until(
        'the figures',
        async () => ((await figures()).get('tagkeep_backup_last_size_bytes') ?? 0) > 0,
      );
      expect(backups()).toHaveLength(1);
      const found = await figures();
      expect(found.get('tagkeep_backup_interval_seconds')).toBe(86_400);
      expect(found.get('tagkeep_backup_failures_total')).toBe(0);
      expect(found.get('tagkeep_backup_last_duration_seconds')).toBeGreaterThan(0);
      const age = Date.now() / 1000 - (found.get('tagkeep_backup_last_success_timestamp_seconds') ?? 0);
      expect(age).toBeLessThan(120);
      const file = join(dir, backups()[0] ?? '');
      const { code, stdout } = await appliance.cli('verify', file, '--passphrase-file', passphraseFile);
      expect([code, stdout]).toEqual([0, expect.stringContaining('can be restored')]);
      expect(appliance.output).toContain('not in the backup, keep it elsewhere: passphrase');
      expect(appliance.output).not.toContain(PASSPHRASE);
    },
    2 * PATIENCE_MS,
  );

  test('after a restart none is made before its time, and /readyz has never heard of it', async () => {
    await appliance.stop();
    await appliance.start(['--config', config]);
    await until('it has looked', async () => {
      return ((await figures()).get('tagkeep_backup_last_success_timestamp_seconds') ?? 0) > 0;
    });
    expect(backups()).toHaveLength(1);
    expect((await fetch(`${appliance.endpoints().http}/readyz`)).status).toBe(200);
    expect(await appliance.stop()).toBe(0);
  });

  test(
    'a stop while one is being made ends it, in time and without half a file',
    async () => {
      const other = join(appliance.root, 'others');
      mkdirSync(other);
      writeFileSync(config, JSON.stringify({ backup: { dir: 'others', passphraseFile: 'passphrase' } }));
      await appliance.start(['--config', config]);
      await until(
        'its beginning',
        () => existsSync(join(appliance.dataDir, 'run', 'backup.pid')),
        PATIENCE_MS,
      );
      expect(await appliance.stop()).toBe(0);
      // One that was whole by then is one.
      expect(readdirSync(other).filter((name) => !/^tagkeep-\d{8}-\d{6}\.tkb$/.test(name))).toEqual([]);
      expect(readdirSync(join(appliance.dataDir, 'run'))).not.toContain('backup');
      expect(readdirSync(join(appliance.dataDir, 'run'))).not.toContain('backup.pid');
    },
    2 * PATIENCE_MS,
  );
});
