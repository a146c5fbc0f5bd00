import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CliError, CliUsageError } from './context.ts';

/** Where the passphrase of a backup comes from; at most one is given. */
export interface PassphraseOptions {
  readonly passphraseFile?: string;
  readonly passphraseStdin?: boolean;
}

const MIN_CHARACTERS = 10;
const MAX_BYTES = 1000;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * The passphrase of a backup, without the line end after it: from a file, from standard input, or typed at a terminal
 * (twice for a new one, which has at least ten characters). Text in UTF-8 is taken in its composed form (NFC), so that the
 * same words are the same passphrase whatever typed them; other bytes are taken as they are. Throws `CliUsageError` when
 * there is none of these.
 */
export async function readBackupPassphrase(options: PassphraseOptions, isNew: boolean): Promise<Buffer> {
  const given = (await givenPassphrase(options)) ?? Buffer.from(await typed(isNew));
  const bytes = passphraseIn(given);
  if (bytes.length === 0 || bytes.length > MAX_BYTES || bytes.includes('\n') || bytes.includes(0))
    throw new CliError(`a passphrase is one line of 1 to ${MAX_BYTES} bytes`);
  if (isNew && Array.from(bytes.toString('utf8')).length < MIN_CHARACTERS)
    throw new CliError(
      `the passphrase is too short: a backup holds every key, take ${MIN_CHARACTERS} characters or more`,
    );
  return bytes;
}

async function givenPassphrase(options: PassphraseOptions): Promise<Buffer | null> {
  const { passphraseFile: file, passphraseStdin } = options;
  if (file !== undefined && passphraseStdin)
    throw new CliUsageError('--passphrase-file and --passphrase-stdin: name one of them');
  if (passphraseStdin) return buffer(process.stdin);
  if (file === undefined) return null;
  try {
    return await readFile(file);
  } catch (error) {
    throw new CliError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Read as text, all that is no UTF-8 would become one and the same character. */
function passphraseIn(given: Buffer): Buffer {
  const marked = given.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const bytes = withoutLineEnd(marked ? given.subarray(BYTE_ORDER_MARK.length) : given);
  return isUtf8(bytes) ? Buffer.from(bytes.toString('utf8').normalize('NFC')) : bytes;
}

function withoutLineEnd(bytes: Buffer): Buffer {
  if (bytes.at(-1) !== LINE_FEED) return bytes;
  return bytes.subarray(0, bytes.at(-2) === CARRIAGE_RETURN ? -2 : -1);
}

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
