import { type ChildProcess, spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** What a consumer has heard, from its file. */
export interface Heard {
  /** `tag_read` events. */
  readonly reads: number;
  readonly events: number;
  /** Times the numbers of two events in a row were not in a row, with nothing said between them. */
  readonly gapsInSilence: number;
  /** Times it was told that it had missed something. */
  readonly resyncs: number;
  /** Events after it was told so for the last time. */
  readonly sinceResync: number;
}

export interface ConsumerOptions {
  readonly apiKey: string;
  /** Takes what it hears. */
  readonly file: string;
  /** It ends by itself after so long, whatever becomes of this process; an hour when left out. */
  readonly maxSeconds?: number;
}

/** A consumer of the live stream as a process of its own, which can be stopped as processes are. */
export class ConsumerProcess {
  readonly #child: ChildProcess;
  readonly #file: string;
  readonly #exited: Promise<void>;
  ended = false;

  constructor(url: string, { apiKey, file, maxSeconds = 3600 }: ConsumerOptions) {
    const header = `Authorization: Bearer ${apiKey}`;
    this.#file = file;
    this.#child = spawn('curl', ['-sN', '--max-time', String(maxSeconds), '-H', header, '-o', file, url], {
      stdio: 'ignore',
    });
    this.#exited = new Promise<void>((resolve) => {
      this.#child.once('error', () => resolve());
      this.#child.once('exit', () => resolve());
    }).then(() => {
      this.ended = true;
    });
  }

  /** SIGSTOP and SIGCONT: it reads nothing in between, and its connection stays. */
  stop(): void {
    this.#child.kill('SIGSTOP');
  }

  go(): void {
    this.#child.kill('SIGCONT');
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  async heard(): Promise<Heard> {
    const tally = new StreamTally();
    for await (const line of createInterface({ input: createReadStream(this.#file) })) tally.take(line);
    return tally.heard();
  }
}

const ID = /^id: .+-(\d+)$/;

/** Counts the lines of a stream. */
export class StreamTally {
  #lastNo = Number.NaN;
  #reads = 0;
  #events = 0;
  #gapsInSilence = 0;
  #resyncs = 0;
  #sinceResync = 0;
  #wasTold = false;

  take(line: string): void {
    const no = ID.exec(line)?.[1];
    if (no !== undefined) this.#number(Number(no));
    else if (line === 'event: resync') this.#resync();
    else if (line.startsWith('event: ') && line !== 'event: hello') this.#event(line);
  }

  heard(): Heard {
    return {
      ...{ reads: this.#reads, events: this.#events, gapsInSilence: this.#gapsInSilence },
      ...{ resyncs: this.#resyncs, sinceResync: this.#sinceResync },
    };
  }

  // The position that a stream begins at has a number too, and no event.
  #number(no: number): void {
    if (no > this.#lastNo + 1 && !this.#wasTold) this.#gapsInSilence++;
    this.#lastNo = no;
    this.#wasTold = false;
  }

  #event(line: string): void {
    this.#events++;
    this.#sinceResync++;
    if (line === 'event: tag_read') this.#reads++;
  }

  #resync(): void {
    this.#resyncs++;
    this.#wasTold = true;
    this.#sinceResync = 0;
  }
}
