import { existsSync } from 'node:fs';
import { isSea } from 'node:sea';
import { prepareDataFolder } from '../app/data-folder.ts';
import { isInitialised } from '../app/first-start.ts';
import { configFileOf, loadConfig } from '../config/load.ts';
import type { Config } from '../config/options.ts';
import { requireSchema } from '../store/migrate.ts';
import type { OrgRecord } from '../store/records.ts';
import { openStore, type Store } from '../store/store.ts';
import { mayHaveStore } from '../store/store-file.ts';
import { tables } from '../store/tables.ts';

/** Options every command has. */
export interface CommonOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly org?: string;
}

/** What a command works with: also while the appliance runs, both see the same store. */
export interface CliContext {
  readonly config: Config;
  readonly store: Store;
  /** The organisation the command is for: `--org`, else the first. */
  readonly org: OrgRecord;
}

/** A command that can't do what it was asked. The message is one line: what, why, what to do. Exit code 1. */
export class CliError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CliError';
  }
}

/** A wrong value on the command line. Exit code 2. */
export class CliUsageError extends CliError {}

/** Where `install.sh` puts it. Only the one-file program looks there: a checkout must not work on the installed box. */
const INSTALLED = isSea() ? { installedFile: '/etc/tagkeep/appliance.config.json' } : {};

const sourcesOf = ({ config }: CommonOptions) => ({
  ...(config === undefined ? {} : { file: config }),
  ...INSTALLED,
  cwd: process.cwd(),
});

/** The configuration of this run: the file (`pathOfConfig`), the environment, defaults. */
export function configOf(options: CommonOptions): Config {
  return loadConfig({ ...sourcesOf(options), env: process.env });
}

/** The configuration file of this run: `--config`, else the one here, else the installed one; null when there is none. */
export function pathOfConfig(options: CommonOptions): string | null {
  const file = configFileOf(sourcesOf(options));
  return existsSync(file) ? file : null;
}

/** Opens the store for one command and closes it after, whatever happened. */
export async function withStore<T>(
  options: CommonOptions,
  work: (context: CliContext) => Promise<T>,
): Promise<T> {
  const config = configOf(options);
  if (!mayHaveStore(config.dataDir)) throw noAppliance(config);
  prepareDataFolder(config.dataDir, { mayBeFull: true });
  const store = openStore(config.dataDir);
  try {
    if (!isInitialised(store)) throw noAppliance(config);
    await requireSchema(store);
    return await work({ config, store, org: findOrg(store, options.org) });
  } finally {
    await store.close();
  }
}

function noAppliance({ dataDir }: Config): CliError {
  return new CliError(`${dataDir} has no appliance yet; run "tagkeep init" or "tagkeep serve" first`);
}

function findOrg(store: Store, name: string | undefined): OrgRecord {
  const orgs = Array.from(store.range(tables.orgs), ({ value }) => value).sort((a, b) => a.no - b.no);
  const org = name === undefined ? orgs[0] : orgs.find((one) => one.name === name);
  if (!org)
    throw new CliError(
      `there is no organisation "${name}"; known: ${orgs.map((one) => one.name).join(', ')}`,
    );
  return org;
}
