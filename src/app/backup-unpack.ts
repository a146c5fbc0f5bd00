import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { firstNameIn, readTar, type TarEntry } from '../lib/tar-stream.ts';
import { isSealed, unseal } from './backup-envelope.ts';
import { BackupError, naming, reasonFor, Unreadable } from './backup-error.ts';
import { writeAll } from './backup-file.ts';
import {
  allParts,
  type Manifest,
  type Part,
  parseManifest,
  partNames,
  requireParts,
} from './backup-manifest.ts';
import { hashed } from './backup-parts.ts';

/** The header of a tar's first file; an encrypted backup shows what it is in fewer. */
const HEAD_BYTES = 512;
const CHUNK_BYTES = 256 * 1024;
/** Of the manifest, and of every part but the store. */
const MAX_SMALL_BYTES = 1024 * 1024;

export interface UnpackOptions {
  /** An empty folder of mode 0700. */
  readonly into: string;
  /** Null for a plain backup; with one, a plain backup is refused: nobody vouches for what is in it. */
  readonly passphrase: Buffer | null;
  readonly signal?: AbortSignal;
}

interface Unpacking extends UnpackOptions {
  readonly parts: Part[];
  manifest: Manifest | null;
}

/** Whether a backup needs a passphrase. A file that can't be read is a `BackupError`. */
export async function needsPassphrase(file: string): Promise<boolean> {
  return isSealed(await headOf(file));
}

/**
 * Whether a file begins as a backup does: encrypted, or as a tar whose first file is the store. It may be cut short or damaged
 * after that. A file that can't be read is a `BackupError`.
 */
export async function isBackup(file: string): Promise<boolean> {
  const head = await headOf(file);
  return isSealed(head) || firstNameIn(head) === partNames.store;
}

async function headOf(file: string): Promise<Buffer> {
  return naming(`${file} can't be read`, async () => {
    const handle = await open(file, 'r');
    try {
      const { bytesRead, buffer: head } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return head.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  });
}

/**
 * Unpacks a backup and checks every part against its manifest, which stands last: a file that is cut short has none.
 * Parts of other names than a backup has are refused, so nothing is written elsewhere. Throws `BackupError`, one line
 * that names the file, or the folder when that is where it fails.
 */
export async function unpackBackup(file: string, options: UnpackOptions): Promise<Manifest> {
  const isEncrypted = await needsPassphrase(file);
  const unpack = async (): Promise<Manifest> => {
    const unpacking: Unpacking = { ...options, parts: [], manifest: null };
    const bytes = createReadStream(file, { highWaterMark: CHUNK_BYTES });
    await readTar(plainOf(bytes, isEncrypted, options.passphrase), (entry, content) =>
      takePart(unpacking, entry, content),
    );
    if (unpacking.manifest === null) throw new Unreadable(`it has no ${partNames.manifest}`);
    requireParts(unpacking.manifest, unpacking.parts);
    return unpacking.manifest;
  };
  return naming(`${file} can't be used`, unpack, options.signal);
}

function plainOf(
  bytes: AsyncIterable<Uint8Array>,
  isEncrypted: boolean,
  passphrase: Buffer | null,
): AsyncIterable<Uint8Array> {
  if (isEncrypted && passphrase === null) throw new Unreadable('it is encrypted and there is no passphrase');
  if (!isEncrypted && passphrase !== null)
    throw new Unreadable(
      'it is not encrypted, though a passphrase is given; leave that out to trust it as it is',
    );
  return passphrase === null ? bytes : unseal(bytes, passphrase);
}

async function takePart(
  unpacking: Unpacking,
  entry: TarEntry,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { name, size } = entry;
  // First, so that no other message shows a name that may hold anything.
  if (name !== partNames.manifest && !allParts.has(name))
    throw new Unreadable(`it holds ${JSON.stringify(name)}, which no backup has`);
  if (name !== partNames.store && size > MAX_SMALL_BYTES) throw new Unreadable(`its ${name} is over 1 MB`);
  if (unpacking.manifest !== null) throw new Unreadable(`something follows its ${partNames.manifest}`);
  if (name === partNames.manifest) {
    unpacking.manifest = parseManifest((await buffer(content)).toString('utf8'));
    return;
  }
  if (unpacking.parts.some((part) => part.name === name)) throw new Unreadable(`it holds ${name} twice`);
  const hash = createHash('sha256');
  await writePart(unpacking, name, hashed(content, hash));
  unpacking.parts.push({ name, size, sha256: hash.digest('hex') });
}

async function writePart(
  { into, signal }: UnpackOptions,
  name: string,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = join(into, name);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, 'wx', 0o600);
    try {
      await writeAll(handle, content, signal);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    // What the system says is about the folder; anything else is about the backup.
    if (error instanceof Error && 'code' in error && 'syscall' in error)
      throw new BackupError(`${into} can't be written: ${reasonFor(error)}`);
    throw error;
  }
}
