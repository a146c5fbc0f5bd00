import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadIdentity } from '../device/identity.ts';
import { PushError, type PushTarget } from './push-target.ts';
import { isDone, type ReaderRest } from './reader-rest.ts';

/**
 * In this order: whatever interrupts a push, the reader has no certificate without everything else, and no new certificate
 * beside an old key.
 */
const fileNames = ['ca.crt', 'client.key', 'svc.json', 'client.crt'] as const;

/** How a reader may say that it does not know the call: some look at the body first, and find no JSON there. */
const noCallStatuses: ReadonlySet<number> = new Set([400, 404, 405, 415, 501]);

const FILE_MAX_BYTES = 64 * 1024;
/** Where the agent looks for its files (interface "Authentication" 7). */
const AGENT_FOLDER = '/cust/rw_dir';

export interface IdentityFile {
  readonly name: string;
  readonly content: Buffer;
}

/** The reader has no call that takes files. The message says what to do instead. */
export class NoFileCall extends PushError {}

/** The four files in the order in which they go; an identity that is incomplete or another reader's is a `PushError`. */
export function readIdentityFiles(dir: string, serial: string): readonly IdentityFile[] {
  const identity = loaded(dir);
  if (identity !== serial)
    throw new PushError(
      `${dir}: the identity is for "${identity}", not for "${serial}"; nothing was written`,
    );
  return fileNames.map((name) => ({ name, content: contentOf(join(dir, name)) }));
}

/** Writes the files one by one and answers their names; the first that is refused ends it, with a `PushError`. */
export async function putFiles(
  rest: ReaderRest,
  { origin, path }: PushTarget,
  { files, dir }: { readonly files: readonly IdentityFile[]; readonly dir: string },
): Promise<readonly string[]> {
  const written: string[] = [];
  for (const { name, content } of files) {
    const body = { type: 'application/octet-stream', content };
    const request = { method: 'PUT', path: `${path}/${name}`, body } as const;
    const answer = await rest.call(request).catch((error: unknown) => {
      throw interrupted(error, written, dir);
    });
    if (written.length === 0 && noCallStatuses.has(answer.status))
      throw noFileCall({ origin, path, dir, status: answer.status });
    if (!isDone(answer)) throw interrupted(rest.refusal(request, answer), written, dir);
    written.push(name);
  }
  return written;
}

function interrupted(error: unknown, written: readonly string[], dir: string): PushError {
  const reason = error instanceof Error ? error.message : String(error);
  const far = `known to be written: ${written.join(', ') || 'none'}`;
  return new PushError(`${reason}; ${far}; the files stay in ${dir}`);
}

interface Missing {
  readonly origin: string;
  readonly path: string;
  readonly dir: string;
  readonly status: number;
}

function noFileCall({ origin, path, dir, status }: Missing): NoFileCall {
  return new NoFileCall(
    `${origin} takes no files at ${path} (${status}), so its agent has no identity yet; copy ${fileNames.join(', ')} ` +
      `from ${dir} to ${AGENT_FOLDER} on the reader, or give the right path with --push-path`,
  );
}

function loaded(dir: string): string {
  try {
    return loadIdentity(dir).serial;
  } catch (error) {
    throw new PushError(error instanceof Error ? error.message : String(error));
  }
}

function contentOf(file: string): Buffer {
  try {
    if (statSync(file).size > FILE_MAX_BYTES) throw new Error('it is over 64 kB');
    return readFileSync(file);
  } catch (error) {
    throw new PushError(
      `${file}: cannot be read (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}
