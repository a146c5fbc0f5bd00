import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARIES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (arch) => `/usr/lib/${arch}/faketime/libfaketimeMT.so.1`,
);

/** A clock that can be set while the process that has it runs; time that only passes is left alone. */
export class FakeClock {
  readonly #file: string;
  readonly #library: string;

  private constructor(file: string, library: string) {
    this.#file = file;
    this.#library = library;
    this.set('+0');
  }

  /** Null where libfaketime is not installed. */
  static in(folder: string): FakeClock | null {
    const library = LIBRARIES.find((path) => existsSync(path));
    return library === undefined ? null : new FakeClock(join(folder, 'clock'), library);
  }

  /** What the process needs in its environment. */
  get env(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // Looking at the file for every question would be slower than the appliance.
      FAKETIME_CACHE_DURATION: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** As far ahead of the right time as told: `+365d`, `-1h`, `+0`; holds within a second. */
  set(offset: string): void {
    writeFileSync(`${this.#file}.new`, `${offset}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }
}
