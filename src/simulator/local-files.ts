import { mkdirSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LocalState } from './local-reader.ts';
import { isObject } from './local-schema.ts';

const SECRET = 0o600;
const OPEN = 0o644;

/** The identity files a bench may write, and the mode each has afterwards. */
const identityModes: Readonly<Record<string, number>> = {
  'ca.crt': OPEN,
  'client.crt': OPEN,
  'client.key': SECRET,
  'svc.json': SECRET,
};

/** Whether a bench may write this file. */
export function isIdentityFile(name: string): boolean {
  return Object.hasOwn(identityModes, name);
}

/**
 * A reader's flash, in a folder: `settings.json`, and identity files in `rw_dir`. A file is replaced whole or not at all, so a
 * process that is killed is a reader that lost its power.
 */
export class LocalFiles {
  readonly #dir: string;
  #waiting: Promise<void> = Promise.resolve();
  #saved = '';

  /** Makes the folder. Throws when it cannot be made. */
  constructor(dir: string) {
    this.#dir = dir;
    mkdirSync(join(dir, 'rw_dir'), { recursive: true, mode: 0o700 });
  }

  /** The settings saved last; undefined for a reader from the factory. Throws one line that names a damaged file. */
  load(): Promise<LocalState | undefined> {
    // In turn: what the reader took before its power went is what it has afterwards.
    return this.#inTurn(() => this.#read());
  }

  async #read(): Promise<LocalState | undefined> {
    const file = join(this.#dir, 'settings.json');
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const state = parsed(text);
    if (state === undefined) {
      throw new Error(
        `${file}: is not what a stand-in reader saved; remove it to start with factory settings`,
      );
    }
    this.#saved = text;
    return state;
  }

  /** Resolves when these settings, or newer ones, are on disk; writes nothing when they are already. */
  save(state: LocalState): Promise<void> {
    const text = JSON.stringify(state);
    return this.#inTurn(() => this.#write(text));
  }

  /** Everything a factory reset takes; identity files stay, as `removecap` alone takes them. */
  reset(): Promise<void> {
    return this.#inTurn(async () => {
      await rm(join(this.#dir, 'settings.json'), { force: true });
      this.#saved = '';
    });
  }

  /** Writes an identity file with its mode; the name is one of `isIdentityFile`. */
  saveIdentityFile(name: string, content: Uint8Array): Promise<void> {
    const file = join(this.#dir, 'rw_dir', name);
    return this.#inTurn(() => replaceFile(file, content, identityModes[name] ?? SECRET));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#waiting.then(work);
    this.#waiting = next.then(
      () => {},
      () => {},
    );
    return next;
  }

  async #write(text: string): Promise<void> {
    if (text === this.#saved) return;
    await replaceFile(join(this.#dir, 'settings.json'), Buffer.from(text), SECRET);
    this.#saved = text;
  }
}

/** The file is the stand-in's own work: what has its mark is taken for whole. */
function parsed(text: string): LocalState | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isSaved(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isSaved(value: unknown): value is LocalState {
  if (!isObject(value)) return false;
  const { version, presets, running, mqtt, certificates, system } = value;
  const named = typeof running === 'string' || running === null;
  return version === 1 && named && Array.isArray(presets) && [mqtt, certificates, system].every(isObject);
}

async function replaceFile(file: string, content: Uint8Array, mode: number): Promise<void> {
  const temporary = `${file}.new`;
  try {
    const handle = await open(temporary, 'w', SECRET);
    try {
      await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  const folder = await open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}
