import { text } from 'node:stream/consumers';
import { isCommonName } from '../pki/authority.ts';
import { CliUsageError } from './context.ts';

/** Options of the commands that write identity files. */
export interface IdentityOptions {
  readonly out: string;
  readonly keyType: string;
  /** Undefined: the factory's, or what the command knows better. */
  readonly readerUser?: string;
  readonly readerPasswordStdin?: boolean;
}

/** Refuses a text that can be no reader's serial. */
export function checkSerial(serial: string): void {
  if (isCommonName(serial)) return;
  throw new CliUsageError(
    `"${serial}" is no serial: 1 to 64 letters, digits, dots, dashes and underscores are allowed`,
  );
}

/** `--key-type`. */
export function keyTypeOf({ keyType }: IdentityOptions): 'rsa' | 'ecdsa' {
  if (keyType === 'rsa' || keyType === 'ecdsa') return keyType;
  throw new CliUsageError(`--key-type is "${keyType}"; it is rsa or ecdsa`);
}

/** The password on standard input, without its line end; null when it was not asked for. */
export async function passwordFrom({ readerPasswordStdin }: IdentityOptions): Promise<string | null> {
  return readerPasswordStdin ? (await text(process.stdin)).replace(/\r?\n$/, '') : null;
}
