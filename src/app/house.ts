import type { Config } from '../config/options.ts';
import { SteadyClock } from '../lib/steady-clock.ts';
import { createLiveBus, type LiveBus } from '../live/bus.ts';
import type { Log } from '../log/log.ts';
import { type Authority, openAuthority } from '../pki/authority.ts';
import { hostNames } from '../pki/host-names.ts';
import { DiskGuard } from '../store/disk-guard.ts';
import { openStore, type Store } from '../store/store.ts';
import { mayHaveStore } from '../store/store-file.ts';
import { expiryWarnings } from './certificate-health.ts';
import type { Closers } from './closers.ts';
import { type FirstStart, firstStart, makeFirstPassword } from './first-start.ts';
import { upgradeStore } from './upgrade.ts';

export interface AppOptions {
  readonly config: Config;
  /** The configuration's file as it was named; absent: the usual one, if it is there. */
  readonly configFile?: string | undefined;
  /** Starts this program again: the command without its arguments; absent: as this process was started. */
  readonly program?: readonly string[];
  readonly log: Log;
  readonly now?: () => number;
  /** Told once, when the first start made the admin: the password is not kept. */
  readonly onFirstStart?: (made: FirstStart) => void;
  /** Told when the store can't be used any more, for which only a new start helps: the process has to end at once. */
  readonly onStoreBroken?: () => void;
  /** Answers that break their own declaration become errors. For tests. */
  readonly checkResponses?: boolean;
}

/** What stands before any door opens. */
export interface House {
  readonly options: AppOptions;
  readonly now: () => number;
  readonly closers: Closers;
  readonly store: Store;
  readonly authority: Authority;
  /** Replaced when it is renewed. */
  server: ServerTls;
  /** As `OwnCertificates`; another one when the file is replaced. */
  webNotAfter: number | null;
  readonly clock: SteadyClock;
  readonly disk: DiskGuard;
  readonly bus: LiveBus;
}

/** Everything that can fail for a reason outside comes before the first start, which tells its password only once. */
export async function openHouse(
  options: AppOptions,
  closers: Closers,
  webNotAfter: number | null,
): Promise<House> {
  const { config, log, now = Date.now } = options;
  const { passphraseFile } = config.pki;
  // Beside the search for the authority's primes, which takes as long.
  const begun = mayHaveStore(config.dataDir) ? null : makeFirstPassword();
  const authority = await openAuthority({ certsDir: config.certsDir, passphraseFile, now: now() });
  const server = await serverCertificate(authority, config, now());
  const ends = { caNotAfter: authority.caNotAfter, serverNotAfter: server.notAfter, webNotAfter };
  for (const warning of [...authority.warnings, ...expiryWarnings(ends, now())]) log.warn({}, warning);
  const store = openStore(config.dataDir, options.onStoreBroken);
  closers.add('store', () => store.close());
  await upgradeStore(store, { config, log, now });
  const made = await firstStart(store, now(), begun);
  if (made) options.onFirstStart?.(made);
  const disk = new DiskGuard(config.dataDir, config.storage.minFreeMegabytes);
  await disk.check();
  const bus = createLiveBus();
  const clock = new SteadyClock({ now });
  return { options, now, closers, store, authority, server, webNotAfter, disk, bus, clock };
}

interface ServerTls {
  readonly certPem: string;
  readonly keyPem: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

async function serverCertificate(authority: Authority, config: Config, now: number): Promise<ServerTls> {
  const names = hostNames(config.mqtts.hostnames);
  const { chainPem, keyPem, notBefore, notAfter } = await authority.ensureServer({ ...names, now });
  return { certPem: chainPem, keyPem, notBefore, notAfter };
}
