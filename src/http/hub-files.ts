import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Encoding } from './accept-encoding.ts';

/** One file of the hub, as it is sent. `bodies` has `identity`, and `br` and `gzip` where they are smaller. */
export interface HubFile {
  readonly contentType: string;
  readonly cacheControl: string;
  readonly bodies: ReadonlyMap<Encoding, Buffer>;
}

/** The built hub: its page, with `noncePlace` where a nonce belongs, and its other files by name (`assets/main-Ab12.js`). */
export interface HubFiles {
  readonly index: string;
  readonly files: ReadonlyMap<string, HubFile>;
}

/** What stands in the built page for the nonce of an answer. */
export const noncePlace = '__CSP_NONCE__';

/** A file of the build by its name; null when there is none. */
export type ReadHubFile = (name: string) => Buffer | null;

const suffixes: Readonly<Record<Encoding, string>> = { identity: '', br: '.br', gzip: '.gz' };

const contentTypes: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.woff2', 'font/woff2'],
  ['.json', 'application/json; charset=utf-8'],
  ['.webmanifest', 'application/manifest+json; charset=utf-8'],
  ['.txt', 'text/plain; charset=utf-8'],
]);

const YEAR = 'public, max-age=31536000, immutable';
const HOUR = 'public, max-age=3600';

/**
 * The hub as `scripts/build-hub.mjs` leaves it: `files.json` names every file with its compressed forms, and nothing that
 * it does not name is ever served. All of it is read at once, so that the page and its files are of one build. Null:
 * there is no hub. Throws when a file that it names is missing.
 */
export function readHubFiles(read: ReadHubFile): HubFiles | null {
  const list = read('files.json');
  if (!list) return null;
  const { files } = parseList(list);
  const needed = (name: string): Buffer => {
    const bytes = read(name);
    if (!bytes) throw new Error(`${name} of the hub is missing: build it again`);
    return bytes;
  };
  const entries = Object.entries(files).map(
    ([name, compressed]) => [name, hubFile(name, compressed, needed)] as const,
  );
  return { index: needed('index.html').toString(), files: new Map(entries) };
}

/** Reads from a folder. */
export function inFolder(folder: string): ReadHubFile {
  return (name) => {
    try {
      return readFileSync(join(folder, name));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  };
}

type List = { readonly files: Readonly<Record<string, readonly Encoding[]>> };

function parseList(bytes: Buffer): List {
  // Part of the build, as trustworthy as the program beside it.
  return JSON.parse(bytes.toString()) as List;
}

function hubFile(name: string, compressed: readonly Encoding[], read: (name: string) => Buffer): HubFile {
  const forms: readonly Encoding[] = ['identity', ...compressed];
  return {
    contentType: contentTypes.get(extname(name)) ?? 'application/octet-stream',
    // The names in this folder carry a hash of what is in the file.
    cacheControl: name.startsWith('assets/') ? YEAR : HOUR,
    bodies: new Map(forms.map((form) => [form, read(name + suffixes[form])])),
  };
}
