import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackupOptions, makeBackup } from '../../src/app/backup.ts';
import { openDataFolder } from '../../src/app/data-folder.ts';
import { firstStart } from '../../src/app/first-start.ts';
import { restoreBackup } from '../../src/app/restore.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/options.ts';
import { openAuthority } from '../../src/pki/authority.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openStore } from '../../src/store/store.ts';

export const NOW = Date.UTC(2026, 10, 21, 9, 30, 5);
export const PASSPHRASE = Buffer.from('correct horse battery');

/** Appliances that were started once, in folders of one root, to be backed up and restored. */
export class BackupHouse {
  readonly root = mkdtempSync(join(tmpdir(), 'tagkeep-backup-test-'));
  #folders = 0;

  /** A path that nobody has used. */
  fresh(): string {
    return join(this.root, `${++this.#folders}`);
  }

  configOf(dir: string, env: Record<string, string> = {}): Config {
    const folders = { TAGKEEP_DATA_DIR: join(dir, 'data'), TAGKEEP_CERTS_DIR: join(dir, 'certs') };
    return loadConfig({ env: { ...folders, ...env }, cwd: this.root });
  }

  async appliance(env: Record<string, string> = {}): Promise<Config> {
    const config = this.configOf(this.fresh(), env);
    openDataFolder(config.dataDir).close();
    const { certsDir, pki } = config;
    const authority = await openAuthority({ certsDir, passphraseFile: pki.passphraseFile, now: NOW });
    await authority.ensureServer({ names: ['localhost'], addresses: ['127.0.0.1'], now: NOW });
    await changeStore(config, async (store) => {
      await migrate(store);
      await firstStart(store, NOW);
    });
    return config;
  }

  /** What a backup is made with unless a test wants something else. */
  options(config: Config, more: Partial<BackupOptions> = {}): BackupOptions {
    const target = `${this.fresh()}.tkb`;
    return { ...{ config, configFile: null, target, passphrase: PASSPHRASE, now: NOW }, ...more };
  }

  async backup(config: Config, more: Partial<BackupOptions> = {}): Promise<string> {
    return (await makeBackup(this.options(config, more))).file;
  }

  /** Restores into new folders. */
  async restored(file: string, passphrase: Buffer | null = PASSPHRASE): Promise<Config> {
    const config = this.configOf(this.fresh());
    await restoreBackup({ config, file, passphrase });
    return config;
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Opens the store for `work` alone. */
export async function changeStore(
  { dataDir }: Config,
  work: (store: ReturnType<typeof openStore>) => Promise<unknown>,
): Promise<void> {
  const store = openStore(dataDir);
  await work(store).finally(() => store.close());
}

/** By which the names of its backups tell an appliance. */
export function idOf(certsDir: string): string {
  const { fingerprint256 } = new X509Certificate(readFileSync(join(certsDir, 'ca.crt')));
  return fingerprint256.replaceAll(':', '').slice(0, 8).toLowerCase();
}
