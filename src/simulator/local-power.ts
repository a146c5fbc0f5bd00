import type { Server } from 'node:https';
import type { LocalFiles } from './local-files.ts';
import type { LocalReader, LocalState } from './local-reader.ts';

/** What a reboot is like. */
export interface RebootOptions {
  /** How long the interface is away, 0 to 600,000; the interface's own figure when absent. */
  readonly rebootMs?: number;
  /** `running`: no preset starts by itself afterwards, as after power cuts in quick succession; `settings`: a factory reset. */
  readonly lose?: 'running' | 'settings';
}

export interface LocalPowerOptions {
  readonly server: Server;
  readonly host: string;
  readonly rebootMs: number;
  readonly files: LocalFiles;
  readonly create: (state: LocalState | undefined) => LocalReader;
  /** Called before the radio goes off: everything that hangs on a connection ends. */
  readonly onDown: () => void;
  /** Called before the radio may start by itself. */
  readonly onUp: () => void;
  readonly log: (line: string) => void;
}

const RETRY_MS = 100;

/** Turns a reader on and off: its settings come from disk each time, its radio and its interface go with the power. */
export class LocalPower {
  readonly #options: LocalPowerOptions;
  #reader: LocalReader;
  #port: number;
  #rebooting: Promise<void> | undefined;
  #stopped = false;
  #wake = (): void => {};
  #starts = 0;

  private constructor(options: LocalPowerOptions, reader: LocalReader, port: number) {
    this.#options = options;
    this.#reader = reader;
    this.#port = port;
  }

  /** Loads, listens on `port` (0 = any free one) and boots. Rejects when the files or the port cannot be had. */
  static async on(options: LocalPowerOptions, port: number): Promise<LocalPower> {
    const reader = options.create(await options.files.load());
    const power = new LocalPower(options, reader, await listen(options, port));
    power.#boot();
    return power;
  }

  get reader(): LocalReader {
    return this.#reader;
  }

  get port(): number {
    return this.#port;
  }

  /** Counts starts: a call that began before a reboot has no effect after it. */
  get starts(): number {
    return this.#starts;
  }

  get isOn(): boolean {
    return this.#rebooting === undefined && !this.#stopped;
  }

  /** Resolves when the reader is back; one that is on its way already is the same one. */
  reboot(options: RebootOptions = {}): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    this.#rebooting ??= this.#cycle(options).finally(() => {
      this.#rebooting = undefined;
      if (!this.#stopped) this.#boot();
    });
    return this.#rebooting;
  }

  /** Power off for good. Settings are on disk. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    await this.#rebooting;
    await this.#down();
  }

  async #cycle({ rebootMs = this.#options.rebootMs, lose }: RebootOptions): Promise<void> {
    const { create } = this.#options;
    await this.#down();
    const state = await this.#flash(lose);
    this.#reader = create(state && lose === 'running' ? { ...state, running: null } : state);
    await this.#pause(rebootMs);
    await this.#listenAgain();
  }

  /** The settings there are after the reboot; should the disk fail, those the reader had in mind. */
  async #flash(lose: RebootOptions['lose']): Promise<LocalState | undefined> {
    const { files, log } = this.#options;
    try {
      if (lose === 'settings') await files.reset();
      return await files.load();
    } catch (error) {
      log(`stand-in: ${error instanceof Error ? error.message : String(error)}`);
      return this.#reader.state();
    }
  }

  #boot(): void {
    this.#starts += 1;
    this.#options.onUp();
    this.#reader.boot();
  }

  async #down(): Promise<void> {
    const { server, onDown } = this.#options;
    onDown();
    this.#reader.powerOff();
    const closed = server.listening
      ? new Promise<void>((resolve) => server.close(() => resolve()))
      : undefined;
    server.closeAllConnections();
    await closed;
  }

  /** Somebody else may have the port for a moment: an outgoing connection takes any free one. */
  async #listenAgain(): Promise<void> {
    while (!this.#stopped) {
      const port = await listen(this.#options, this.#port).catch(() => undefined);
      if (port !== undefined) return;
      await this.#pause(RETRY_MS);
    }
  }

  #pause(ms: number): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function listen({ server, host }: LocalPowerOptions, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
