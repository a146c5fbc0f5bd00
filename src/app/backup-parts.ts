import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { TarSource } from '../lib/tar-stream.ts';
import { BackupError, naming, reasonFor } from './backup-error.ts';
import { type Manifest, type Part, partNames } from './backup-manifest.ts';

const CHUNK_BYTES = 256 * 1024;

/** A part to be packed: a file, or a text made here. */
export type PartSource =
  | { readonly name: string; readonly file: string }
  | { readonly name: string; readonly text: string };

export interface PackOptions {
  /** What the manifest says besides the parts. */
  readonly about: Omit<Manifest, 'parts'>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The parts as files of an archive, and after them the manifest, made of what went by: each file is read once. */
export async function* packed(
  sources: readonly PartSource[],
  { about, now }: PackOptions,
): AsyncGenerator<TarSource> {
  const parts: Part[] = [];
  for (const source of sources) {
    const { name } = source;
    const [size, content] = await contentOf(source);
    const hash = createHash('sha256');
    yield { name, size, modifiedAt: now, content: hashed(content, hash) };
    parts.push({ name, size, sha256: hash.digest('hex') });
  }
  const text = `${JSON.stringify({ ...about, parts } satisfies Manifest, null, 2)}\n`;
  const [size, content] = await contentOf({ name: partNames.manifest, text });
  yield { name: partNames.manifest, size, modifiedAt: now, content };
}

async function contentOf(source: PartSource): Promise<readonly [size: number, AsyncIterable<Uint8Array>]> {
  if ('file' in source) {
    const { file } = source;
    const { size } = await naming(`${file} can't be read`, () => stat(file));
    return [size, contentIn(file)];
  }
  const bytes = Buffer.from(source.text);
  return [bytes.length, once(bytes)];
}

// Opened when it is read: a stream that nobody listens to yet would end the process when its file can't be opened.
async function* contentIn(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: CHUNK_BYTES });
  } catch (error) {
    throw new BackupError(`${file} can't be read: ${reasonFor(error)}`);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Passes a stream on and takes every byte into the hash. */
export async function* hashed(
  content: AsyncIterable<Uint8Array>,
  hash: { update(chunk: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}
