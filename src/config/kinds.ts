import { createPublicKey } from 'node:crypto';
import { isIP } from 'node:net';

/** How one option is read. `T` is what the rest of the program gets. */
export interface Option<T> {
  readonly default: T;
  readonly help: string;
  /** What is allowed, as it ends the sentence "must be …". */
  readonly allowed: string;
  /** The value of an acceptable JSON value, `undefined` for anything else. */
  readonly read: (value: unknown) => T | undefined;
  /** What the text of an environment variable stands for, before `read` checks it. */
  readonly fromText: (text: string) => unknown;
  /** A relative path, to be made absolute. */
  readonly isPath?: true;
  /** Never repeated in a message: somebody may have pasted a private key here. */
  readonly isConfidential?: true;
}

const asIs = (text: string): unknown => text;

/** Any `Option`, whatever it holds. */
export type AnyOption = Option<unknown>;

const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/;
const decimal = (text: string): unknown => (DECIMAL.test(text) ? Number(text) : text);

interface Range {
  readonly min: number;
  readonly max: number;
}

/** A number, fractions allowed, both ends included. */
export function number(value: number, help: string, { min, max }: Range): Option<number> {
  return {
    default: value,
    help,
    allowed: `a number from ${min} to ${max}`,
    read: (v) => (typeof v === 'number' && v >= min && v <= max ? v : undefined),
    fromText: decimal,
  };
}

/** A whole number, both ends included. */
export function integer(value: number, help: string, { min, max }: Range): Option<number> {
  const within = number(value, help, { min, max });
  const read = (v: unknown): number | undefined => (Number.isInteger(v) ? within.read(v) : undefined);
  return { ...within, allowed: `a whole number from ${min} to ${max}`, read };
}

/** A TCP port; 0 stands for any free one. */
export function port(value: number, help: string): Option<number> {
  return integer(value, help, { min: 0, max: 65_535 });
}

/** `true` or `false`, nothing else. */
export function flag(value: boolean, help: string): Option<boolean> {
  return {
    default: value,
    help,
    allowed: 'true or false',
    read: (v) => (typeof v === 'boolean' ? v : undefined),
    fromText: (text) => (text === 'true' ? true : text === 'false' ? false : text),
  };
}

/** One of a few words. */
export function oneOf<const W extends string>(value: W, help: string, words: readonly W[]): Option<W> {
  return {
    default: value,
    help,
    allowed: `one of ${words.join(', ')}`,
    read: (v) => words.find((word) => word === v),
    fromText: asIs,
  };
}

const HOURS = [1, 2, 3, 4, 6, 8, 12, 24];

/** Hours that divide a day evenly. */
export function shareOfDay(value: number, help: string): Option<number> {
  const read = (v: unknown): number | undefined => HOURS.find((hours) => hours === v);
  return { default: value, help, allowed: `one of ${HOURS.join(', ')}`, read, fromText: decimal };
}

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

/** A time of day in this machine's time zone: `02:00`. */
export function timeOfDay(value: string, help: string): Option<string> {
  const read = (v: unknown): string | undefined =>
    typeof v === 'string' && TIME_OF_DAY.test(v) ? v : undefined;
  return { default: value, help, allowed: 'a time of day, 00:00 to 23:59', read, fromText: asIs };
}

const NAME = /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;
const HOST = 'an IP address or a host name, without scheme or port';

// Digits and dots alone are a mistyped address, never a name.
const isHost = (v: unknown): v is string =>
  typeof v === 'string' && (isIP(v) !== 0 || (NAME.test(v) && !/^[\d.]+$/.test(v)));

/** An address to listen on. */
export function host(value: string, help: string): Option<string> {
  return { default: value, help, allowed: HOST, read: (v) => (isHost(v) ? v : undefined), fromText: asIs };
}

const LIST_MAX = 64;

/** Up to 64 host names or addresses: an array in the file, separated by commas in a variable. */
export function hosts(value: readonly string[], help: string): Option<readonly string[]> {
  return {
    default: value,
    help,
    allowed: `at most ${LIST_MAX} names, each ${HOST}`,
    read: (v) => (Array.isArray(v) && v.length <= LIST_MAX && v.every(isHost) ? [...new Set(v)] : undefined),
    fromText: (text) => text.split(',').map((part) => part.trim()),
  };
}

const isFileName = (v: unknown): v is string =>
  typeof v === 'string' && v.trim() !== '' && v.length <= 4096 && !v.includes('\0');

/** A file or folder, made absolute by `loadConfig`. */
export function path(value: string, help: string): Option<string> {
  const read = (v: unknown): string | undefined => (isFileName(v) ? v : undefined);
  return { default: value, help, allowed: 'a path', read, fromText: asIs, isPath: true };
}

/** A file that need not be named; `null` when it is not. */
export function optionalPath(help: string): Option<string | null> {
  return { ...path('', help), default: null, read: (v) => (v === null || isFileName(v) ? v : undefined) };
}

/** An Ed25519 public key in PEM, or `null`. A variable may write its line breaks as `\n`. */
export function optionalEd25519Key(help: string): Option<string | null> {
  return {
    default: null,
    help,
    allowed: 'an Ed25519 public key in PEM (-----BEGIN PUBLIC KEY-----)',
    read: (v) => (v === null || isEd25519PublicKey(v) ? v : undefined),
    fromText: (text) => text.replaceAll('\\n', '\n'),
    isConfidential: true,
  };
}

function isEd25519PublicKey(v: unknown): v is string {
  if (typeof v !== 'string' || !v.trimStart().startsWith('-----BEGIN PUBLIC KEY-----')) return false;
  try {
    return createPublicKey(v).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}
