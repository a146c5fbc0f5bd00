import { dirname, resolve } from 'node:path';
import type { Config, Declared } from '../config/options.ts';
import { declared } from '../config/options.ts';
import type { ConfigurationEntry } from '../contract/system.ts';

/** What a key is called whose value, or the file it names, is a secret. */
const SECRET_KEY = /pass|secret|token|credential|key/i;
/** A user and password in an address. */
const IN_ADDRESS = /\/\/[^/@\s]*@/g;
const LEFT_OUT = '(set, left out)';

/**
 * The configuration for people outside: every option by its dotted key, without secrets, without the places of secrets, and
 * without the passwords in addresses.
 */
export function shownConfig(config: Config): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    declared.map(({ key, option }) => {
      const value = valueAt(config, key);
      return [key, isSecret({ key, option }) ? leftOut(value) : withoutPasswords(value)];
    }),
  );
}

function isSecret({ key, option }: Pick<Declared, 'key' | 'option'>): boolean {
  return option.isConfidential === true || SECRET_KEY.test(key.split('.').at(-1) ?? '');
}

/**
 * The configuration for the appliance's own administrators: every option with its default. Relative paths that are defaults
 * began at the folder of `configFile`, or at the one the process was started in.
 */
export function configurationEntries(
  config: Config,
  configFile: string | undefined,
): readonly ConfigurationEntry[] {
  const folders = [process.cwd(), ...(configFile === undefined ? [] : [dirname(resolve(configFile))])];
  return declared.map(({ key, option }) => {
    const value = valueAt(config, key);
    const told = isSecret({ key, option }) ? whetherSet : textOf;
    const defaults = option.isPath
      ? folders.map((folder) => pathIn(folder, option.default))
      : [option.default];
    return {
      ...{ key, value: told(withoutPasswords(value)), default: told(option.default) },
      isDefault: defaults.some((one) => JSON.stringify(one) === JSON.stringify(value)),
      help: `${option.help} (${option.allowed})`,
    };
  });
}

function pathIn(folder: string, path: unknown): unknown {
  return typeof path === 'string' ? resolve(folder, path) : path;
}

function whetherSet(value: unknown): string {
  if (value === null) return 'not set';
  return leftOut(value) === LEFT_OUT ? 'set' : textOf(value);
}

/** As the README's table: `none` for what is not set. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value);
}

function leftOut(value: unknown): unknown {
  // A number or a switch tells nothing of a key.
  return typeof value === 'string' || (typeof value === 'object' && value !== null) ? LEFT_OUT : value;
}

function withoutPasswords(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(IN_ADDRESS, '//(left out)@');
  return Array.isArray(value) ? value.map(withoutPasswords) : value;
}

function valueAt(config: object, key: string): unknown {
  let value: unknown = config;
  for (const name of key.split('.'))
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? // The line before has looked.
          (value as Record<string, unknown>)[name]
        : undefined;
  return value;
}
