import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from './error.ts';
import { nearest } from './near.ts';
import * as schema from './options.ts';
import { readConfigFile } from './read-file.ts';

/**
 * Where a configuration comes from. `file` is what `--config` names; `cwd` is the folder the command was typed in;
 * `installedFile` counts when neither has one.
 */
export interface ConfigSources {
  readonly file?: string;
  readonly installedFile?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

const DEFAULT_FILE = 'appliance.config.json';

/** The file that holds the configuration: the named one, else that of `cwd`, else the installed one if it is there. */
export function configFileOf({ file, installedFile, cwd }: Omit<ConfigSources, 'env'>): string {
  const own = resolve(cwd, file ?? DEFAULT_FILE);
  if (file !== undefined || installedFile === undefined || existsSync(own)) return own;
  return existsSync(installedFile) ? installedFile : own;
}

/** Values found so far, by dotted key. */
type Found = Map<string, unknown>;

/**
 * Defaults, then the file (`configFileOf`; it may be absent unless it is named), then
 * the environment; an empty variable counts as not set. Relative paths start at the file's folder when they come from
 * the file or are defaults, at `cwd` when they come from a variable. Throws `ConfigError`, one line, for an unknown key
 * or variable, a value that is not allowed, or a file that can't be used.
 */
export function loadConfig({ env, ...sources }: ConfigSources): schema.Config {
  const { file, cwd } = sources;
  const name = configFileOf(sources);
  const content = readConfigFile(name);
  if (!content && file !== undefined) throw new ConfigError(`configuration file ${name} does not exist`);
  const folder = content ? dirname(name) : cwd;
  const found: Found = new Map();
  for (const { key, option } of schema.declared) found.set(key, absolute(option, option.default, folder));
  if (content) takeSection({ node: schema.options, path: '', file: name, found }, content);
  takeEnvironment(env, cwd, found);
  const config = assemble(schema.options, '', found);
  requireCertificatePair(config);
  requireBackupProtection(config);
  return config;
}

function absolute(option: schema.Declared['option'], value: unknown, folder: string): unknown {
  return option.isPath && typeof value === 'string' ? resolve(folder, value) : value;
}

interface Section {
  readonly node: schema.Declaration;
  readonly path: string;
  readonly file: string;
  readonly found: Found;
}

function takeSection({ node, path, file, found }: Section, content: object): void {
  // Entries, not lookups: a `__proto__` in the file is a key like any other, and unknown.
  for (const [name, value] of Object.entries(content)) {
    const key = path ? `${path}.${name}` : name;
    const child = schema.childOf(node, name);
    if (!child) throw unknownKey(key, node, file);
    if (schema.isOption(child))
      found.set(key, checked(child, value, { name: `${key} in ${file}`, folder: dirname(file) }));
    else if (isPlainObject(value)) takeSection({ node: child, path: key, file, found }, value);
    else throw new ConfigError(`${key} in ${file} is ${show(value)}; must be an object with ${names(child)}`);
  }
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const names = (node: schema.Declaration): string => Object.keys(node).join(', ');

function unknownKey(key: string, node: schema.Declaration, file: string): ConfigError {
  const near = nearest(
    key,
    schema.declared.map((d) => d.key),
  );
  const hint = near ? `did you mean "${near}"?` : `known here: ${names(node)}`;
  return new ConfigError(`unknown key ${show(key)} in ${file}; ${hint}`);
}

function takeEnvironment(env: ConfigSources['env'], cwd: string, found: Found): void {
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(schema.VARIABLE_PREFIX)) continue;
    const entry = schema.declared.find((d) => d.variable === variable);
    if (!entry) throw unknownVariable(variable);
    if (!text) continue;
    const { key, option } = entry;
    found.set(key, checked(option, option.fromText(text), { name: `${variable} (${key})`, folder: cwd }));
  }
}

function unknownVariable(variable: string): ConfigError {
  const near = nearest(
    variable,
    schema.declared.map((d) => d.variable),
  );
  const hint = near ? `did you mean ${near}?` : 'the variables are listed in README.md';
  return new ConfigError(`unknown environment variable ${variable}; ${hint}`);
}

interface Origin {
  readonly name: string;
  readonly folder: string;
}

function checked(option: schema.Declared['option'], value: unknown, { name, folder }: Origin): unknown {
  const read = option.read(value);
  if (read !== undefined) return absolute(option, read, folder);
  const what = option.isConfidential ? 'is not usable' : `is ${show(value)}`;
  throw new ConfigError(`${name} ${what}; must be ${option.allowed}`);
}

const SHOWN_CHARACTERS = 60;

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

function assemble<D extends schema.Declaration>(node: D, path: string, found: Found): schema.ValuesOf<D> {
  const entries = Object.entries(node).map(([name, child]) => {
    const key = path ? `${path}.${name}` : name;
    return [name, schema.isOption(child) ? found.get(key) : assemble(child, key, found)] as const;
  });
  // The keys are the declaration's own and each value has passed its option's `read`.
  return Object.fromEntries(entries) as schema.ValuesOf<D>;
}

function requireCertificatePair({ https }: schema.Config): void {
  if ((https.certFile === null) === (https.keyFile === null)) return;
  const [given, missing] = https.certFile ? ['certFile', 'keyFile'] : ['keyFile', 'certFile'];
  throw new ConfigError(`https.${given} is set but https.${missing} is not; must be both or neither`);
}

/** A backup holds the CA's key: that it lies there unprotected has to be somebody's decision. */
function requireBackupProtection({ backup }: schema.Config): void {
  const { dir, passphraseFile, plain } = backup;
  if (dir !== null && passphraseFile === null && !plain)
    throw new ConfigError(
      'backup.dir is set, but neither backup.passphraseFile nor backup.plain is: name a file with a passphrase, or set backup.plain to true to leave the backups unencrypted',
    );
  if (plain && passphraseFile !== null)
    throw new ConfigError('backup.plain is true and backup.passphraseFile is set; must be one of them');
}
