import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config/options.ts';
import { type Listening, listen } from '../http/listen.ts';
import type { Log } from '../log/log.ts';
import { type Migration, migrate, type UpgradeProgress } from '../store/migrate.ts';
import type { Store } from '../store/store.ts';
import { copyBeforeUpgrade } from './upgrade-copy.ts';

/** How often the log says how far it is. */
const TELL_MS = 5000;
const RETRY_AFTER_SECONDS = '5';

export interface UpgradeOptions {
  readonly config: Pick<Config, 'dataDir' | 'storage' | 'http'>;
  readonly log: Log;
  /** Epoch ms. */
  readonly now: () => number;
  /** Those of this program unless a test brings its own. */
  readonly steps?: readonly Migration[];
}

/**
 * Brings the store of this appliance to the newest schema, after a copy of it as it was (`copyBeforeUpgrade`). Cut off
 * anywhere it goes on at the next start. Meanwhile plain HTTP answers 503, `/readyz` with how far it is, and `run/upgrading` is
 * there: an installer waits as long. Throws `SchemaTooNew`, and `BackupError` when the copy can't be made: then nothing has changed.
 */
export async function upgradeStore(store: Store, { config, log, now, steps }: UpgradeOptions): Promise<void> {
  const page = new UpgradePage();
  const marker = join(config.dataDir, 'run', 'upgrading');
  let toldAt = Number.NEGATIVE_INFINITY;
  const onProgress = (progress: UpgradeProgress): void => {
    page.reason = reasonOf(progress);
    if (performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    log.info(progress, 'upgrading the data');
  };
  const before = async (upgrade: { readonly from: number; readonly to: number }): Promise<void> => {
    const copy = await copyBeforeUpgrade({ config, upgrade, now: now() });
    log.info({ ...upgrade, copy }, 'the data is upgraded; a copy of the store as it was is kept');
  };
  try {
    const newest = await migrate(store, {
      ...(steps && { steps }),
      before,
      onProgress,
      onBegin: async () => {
        mark(marker);
        await page.open(config.http);
      },
    });
    if (page.isOpen) log.info({ schema: newest }, 'the data is upgraded');
  } finally {
    rmSync(marker, { force: true });
    await page.close();
  }
}

// An installer that does not see it waits less long; nothing else depends on it.
function mark(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, '', { mode: 0o600 });
  } catch {}
}

function reasonOf({ schema, newest, table, records, of }: UpgradeProgress): string {
  return `upgrading the data to schema ${schema} of ${newest}: ${records} of ${of} records of ${table}`;
}

/** What whoever asks is told while the appliance itself is not there yet. */
class UpgradePage {
  reason = 'upgrading the data';
  #server: Listening | null = null;

  get isOpen(): boolean {
    return this.#server !== null;
  }

  async open(address: { readonly host: string; readonly port: number }): Promise<void> {
    this.#server = await listen({
      ...address,
      handler: (request, response) => {
        const isAlive = request.url === '/healthz';
        const status = isAlive ? 'ok' : 'unavailable';
        const headers = { 'Content-Type': 'application/json', 'Retry-After': RETRY_AFTER_SECONDS };
        response.writeHead(isAlive ? 200 : 503, headers);
        response.end(JSON.stringify({ status, reasons: [this.reason] }));
      },
    });
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }
}
