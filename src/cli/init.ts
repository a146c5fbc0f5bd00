import { prepareDataFolder, refuseHalfRestored } from '../app/data-folder.ts';
import { firstStart, makeFirstPassword } from '../app/first-start.ts';
import { openAuthority } from '../pki/authority.ts';
import { hostNames } from '../pki/host-names.ts';
import { requireSchema } from '../store/migrate.ts';
import { openStore } from '../store/store.ts';
import { mayHaveStore } from '../store/store-file.ts';
import { type CommonOptions, configOf } from './context.ts';
import { print } from './output.ts';

/** `tagkeep init`: what the first start makes, without serving. Doing it again changes nothing. */
export async function init(options: CommonOptions): Promise<void> {
  const config = configOf(options);
  prepareDataFolder(config.dataDir);
  refuseHalfRestored(config.dataDir);
  const now = Date.now();
  // Beside the search for the authority's primes, which takes as long.
  const begun = mayHaveStore(config.dataDir) ? null : makeFirstPassword();
  const authority = await openAuthority({
    certsDir: config.certsDir,
    passphraseFile: config.pki.passphraseFile,
    now,
  });
  await authority.ensureServer({ ...hostNames(config.mqtts.hostnames), now });
  const store = openStore(config.dataDir);
  try {
    await requireSchema(store);
    const made = await firstStart(store, now, begun);
    if (!made)
      return print({ created: false }, options, [`${config.dataDir} already has its organisation and admin`]);
    print({ created: true, ...made }, options, [
      'Made the organisation, a site, the certificate authority and an admin.',
      `  admin:    ${made.email}`,
      `  password: ${made.password}   (shown this once; keep it)`,
    ]);
  } finally {
    await store.close();
  }
}
