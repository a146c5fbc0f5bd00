import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Preset } from '../contract/preset.ts';
import { readSmallText } from '../device/small-file.ts';
import type { Remembered } from './command-runner.ts';
import { membersOf } from './local-reader.ts';

const NOTHING: Remembered = { preset: null, resume: null };

/**
 * What the agent remembers over a restart. It is a help, not a need: a file that is missing or broken counts as empty, and a
 * full or read-only disk is survived, with one line until writing works again.
 */
export class StateFile {
  readonly #file: string;
  readonly #log: (line: string) => void;
  #failed = false;

  constructor(file: string, log: (line: string) => void) {
    this.#file = file;
    this.#log = log;
  }

  load(): Remembered {
    try {
      const { preset, resume } = membersOf(JSON.parse(readSmallText(this.#file)));
      return {
        // Written by ourselves; the reader checks it again when it gets it.
        preset: Array.isArray(membersOf(preset).antennaConfigs) ? (preset as Preset) : null,
        resume: typeof resume === 'string' ? resume : null,
      };
    } catch {
      return NOTHING;
    }
  }

  save(state: Remembered): void {
    try {
      replaceFile(this.#file, `${JSON.stringify(state)}\n`);
      this.#failed = false;
    } catch (error) {
      if (this.#failed) return;
      this.#failed = true;
      const reason = error instanceof Error ? error.message : String(error);
      this.#log(`${this.#file}: cannot be written (${reason}); going on without`);
    }
  }
}

/** The old content or the new, never a part, whatever happens in between. */
function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.tmp`;
  const handle = openSync(temporary, 'w', 0o600);
  try {
    // Unlike writeSync it goes on until all is written, or throws.
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
}
