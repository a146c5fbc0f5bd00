import type { Config } from '../config/options.ts';
import { declared } from '../config/options.ts';

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
      const isSecret = option.isConfidential === true || SECRET_KEY.test(key.split('.').at(-1) ?? '');
      return [key, isSecret ? leftOut(value) : withoutPasswords(value)];
    }),
  );
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
