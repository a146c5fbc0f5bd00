import { PkiError } from './pki-error.ts';
import { isOpenToOthers, readFileBytes } from './private-file.ts';

/** What OpenSSL takes. */
const MAX_BYTES = 1000;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const OPTION = 'pki.passphraseFile';

/** A passphrase as it stands in its file, and what is worth a warning about that file. */
export interface Passphrase {
  readonly file: string;
  readonly bytes: Buffer;
  readonly warnings: readonly string[];
}

/**
 * The passphrase in a file, without the line end after it. A file that is missing, can't be read, is empty, has more than
 * one line or more than 1,000 bytes is a `PkiError`. One that others can read is used, with a warning: whoever keeps
 * secrets in files for us (a container's, say) may not let us change their mode.
 */
export async function readPassphrase(file: string): Promise<Passphrase> {
  const content = await contentOf(file);
  if (content === null) throw fault(file, 'there is no such file');
  const bytes = withoutLineEnd(content);
  if (bytes.length === 0) throw fault(file, 'is empty; it has to hold the passphrase of ca.key');
  if (bytes.length > MAX_BYTES) throw fault(file, `over ${MAX_BYTES} bytes, so it is no passphrase`);
  if (bytes.includes(LINE_FEED) || bytes.includes(0))
    throw fault(file, 'has more than one line, so it is no passphrase');
  const warnings = (await isOpenToOthers(file))
    ? [`${OPTION}: ${file} can be read by other users; run: chmod 600 ${file}`]
    : [];
  return { file, bytes, warnings };
}

async function contentOf(file: string): Promise<Buffer | null> {
  try {
    return await readFileBytes(file);
  } catch (error) {
    // Which names the file, but not why anybody reads it.
    throw error instanceof PkiError ? new PkiError(`${OPTION}: ${error.message}`) : error;
  }
}

function withoutLineEnd(content: Buffer): Buffer {
  let end = content.length;
  if (content[end - 1] === LINE_FEED) end--;
  if (end < content.length && content[end - 1] === CARRIAGE_RETURN) end--;
  return content.subarray(0, end);
}

function fault(file: string, text: string): PkiError {
  return new PkiError(`${OPTION}: ${file}: ${text}`);
}
