import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { unreadable } from '../../domain/import-plan.ts';
import { limits } from '../../domain/limits.ts';
import { refuse } from '../../domain/refusal.ts';
import { ClientGone } from '../../http/body.ts';
import { FormFile } from '../../http/form-file.ts';

/** What a form needs around the file itself. */
const FORM_MAX_BYTES = 64 * 1024;

/** The longest body an upload can have. */
export const uploadMaxBytes = limits.importMaxBytes + FORM_MAX_BYTES;

const LEFTOVER = /^import-[0-9a-f-]{36}\.csv$/;

/** Removes the uploads a killed process left in the folder. Call it before the first request. */
export async function clearImportLeftovers(tmpDir: string): Promise<void> {
  const names = await readdir(tmpDir).catch(() => []);
  for (const name of names) if (LEFTOVER.test(name)) await rm(join(tmpDir, name), { force: true });
}

/**
 * Streams the form field `file` of a multipart request into a file of its own (mode 0600), calls `use` with its path, and
 * removes it whatever happens. Refuses: `import-unreadable` for a broken form, one without `file` or with an empty one;
 * `too-large`; `disk-full`. Throws `ClientGone` when the upload breaks off.
 */
export async function withUpload<T>(
  req: IncomingMessage,
  tmpDir: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const form = new FormFile(req.headers['content-type'] ?? '', unreadable);
  const path = join(tmpDir, `import-${randomUUID()}.csv`);
  try {
    await receive(req, form, path);
    if (form.bytes === null) throw unreadable('The form has no field "file".');
    if (form.bytes === 0) throw unreadable('The file is empty.');
    return await use(path);
  } catch (error) {
    throw isDiskFull(error) ? noRoom() : error;
  } finally {
    await rm(path, { force: true });
  }
}

async function receive(req: IncomingMessage, form: FormFile, path: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  const file = await open(path, 'wx', 0o600);
  try {
    await copy(req, form, file);
  } catch (error) {
    // What breaks off has no complete end; everything else is ours or the form's.
    throw req.aborted || req.errored ? new ClientGone() : error;
  } finally {
    await file.close();
  }
}

async function copy(req: IncomingMessage, form: FormFile, file: FileHandle): Promise<void> {
  let bytes = 0;
  // Left open when it ends early: the refusal still has to go out on its connection.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > uploadMaxBytes) throw tooLarge();
    for (const part of form.write(chunk)) await file.write(part);
    if ((form.bytes ?? 0) > limits.importMaxBytes) throw tooLarge();
  }
  form.end();
}

function tooLarge(): Error {
  return refuse('too-large', `The file may have ${limits.importMaxBytes} bytes.`);
}

function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function noRoom(): Error {
  return refuse('disk-full', 'The data disk has no room for the file; nothing was changed.');
}
