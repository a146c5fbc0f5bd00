import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CliError, CliUsageError } from './context.ts';

/** Where the passphrase of a backup comes from; at most one is given. */
export interface PassphraseOptions {
  readonly passphraseFile?: string;
  readonly passphraseStdin?: boolean;
}

const MIN_CHARACTERS = 10;
const MAX_BYTES = 1000;

/**
 * The passphrase of a backup, without the line end after it: from a file, from standard input, or typed at a terminal
 * (twice for a new one, which has at least ten characters). Throws `CliUsageError` when there is none of these.
 */
export async function readBackupPassphrase(options: PassphraseOptions, isNew: boolean): Promise<Buffer> {
  const given = await givenPassphrase(options);
  const passphrase = given ?? (await typed(isNew));
  const bytes = Buffer.from(passphrase);
  if (passphrase === '' || bytes.length > MAX_BYTES || /[\n\0]/.test(passphrase))
    throw new CliError(`a passphrase is one line of 1 to ${MAX_BYTES} bytes`);
  if (isNew && Array.from(passphrase).length < MIN_CHARACTERS)
    throw new CliError(
      `the passphrase is too short: a backup holds every key, take ${MIN_CHARACTERS} characters or more`,
    );
  return bytes;
}

async function givenPassphrase(options: PassphraseOptions): Promise<string | null> {
  const { passphraseFile: file, passphraseStdin } = options;
  if (file !== undefined && passphraseStdin)
    throw new CliUsageError('--passphrase-file and --passphrase-stdin: name one of them');
  if (passphraseStdin) return withoutLineEnd(await text(process.stdin));
  if (file === undefined) return null;
  try {
    return withoutLineEnd(await readFile(file, 'utf8'));
  } catch (error) {
    throw new CliError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const withoutLineEnd = (line: string): string => line.replace(/\r?\n$/, '');

async function typed(isNew: boolean): Promise<string> {
  if (!process.stdin.isTTY)
    throw new CliUsageError('no passphrase: name --passphrase-file FILE or --passphrase-stdin');
  const passphrase = await ask('passphrase of the backup: ');
  if (isNew && (await ask('once more: ')) !== passphrase) throw new CliError('the two are not the same');
  return passphrase;
}

/** What is typed is not shown. */
async function ask(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const stopped = new Promise<never>((_, reject) => {
    lines.once('SIGINT', () => reject(new CliError('stopped')));
    lines.once('close', () => reject(new CliError('no passphrase was typed')));
  });
  try {
    return await Promise.race([lines.question(''), stopped]);
  } finally {
    stopped.catch(() => undefined);
    lines.close();
    process.stderr.write('\n');
  }
}
