import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';

/** A file of the mail configuration that can't be used. The message is one line that names the option and the file. */
class MailFileError extends Error {
  constructor(option: string, file: string, fault: string) {
    super(`${option}: ${file} ${fault}`);
    this.name = 'MailFileError';
  }
}

/** What stands in the files of the mail configuration; null = there is no such file named. */
export interface MailFiles {
  readonly password: string | null;
  readonly ca: string | null;
}

const PASSWORD_MAX_LENGTH = 1000;
const CA_MAX_LENGTH = 1_000_000;

/** Reads them anew, so that a changed password counts at the next message. Throws `MailFileError`. */
export async function readMailFiles(options: {
  readonly passwordFile: string | null;
  readonly caFile: string | null;
}): Promise<MailFiles> {
  const { passwordFile, caFile } = options;
  return {
    password: passwordFile === null ? null : await passwordIn(passwordFile),
    ca: caFile === null ? null : await certificatesIn(caFile),
  };
}

async function passwordIn(file: string): Promise<string> {
  const option = 'mail.passwordFile';
  const password = (await textOf(option, file)).replace(/\r?\n$/, '');
  if (password === '') throw new MailFileError(option, file, 'is empty');
  if (password.length > PASSWORD_MAX_LENGTH || /[\p{Cc}]/u.test(password))
    throw new MailFileError(option, file, 'has more than one line of 1,000 characters, so it is no password');
  return password;
}

async function certificatesIn(file: string): Promise<string> {
  const option = 'mail.caFile';
  const pem = await textOf(option, file);
  try {
    if (pem.length > CA_MAX_LENGTH) throw new Error('far too long');
    new X509Certificate(pem);
  } catch {
    throw new MailFileError(option, file, 'holds no certificates in PEM');
  }
  return pem;
}

async function textOf(option: string, file: string): Promise<string> {
  const found = await stat(file).catch(() => null);
  // Reading a pipe would wait for ever, in one of the few threads that writing to disk needs too.
  if (found && !found.isFile()) throw new MailFileError(option, file, "can't be read: it is not a file");
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new MailFileError(option, file, `can't be read: ${(error as NodeJS.ErrnoException).code}`); // of readFile
  }
}
