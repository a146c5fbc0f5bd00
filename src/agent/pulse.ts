import type { Examination } from './health.ts';

export interface PulseOptions {
  readonly examine: () => Promise<Examination>;
  /** Sends one health message; `sent` is called when the broker has it. */
  readonly send: (text: string, sent: () => void) => void;
  /** The broker has granted the subscription to commands: health may say that they are taken. */
  readonly takesCommands: () => boolean;
  /** The reader is met for the first time, is back, or has started anew. */
  readonly onReturn: () => void;
  /** The reader was there, and its radio on or off. */
  readonly onRadio: (isOn: boolean) => void;
  readonly log: (line: string) => void;
  /** Between two messages, ms; 30 s when absent. */
  readonly everyMs?: number;
  /** Between two looks at a reader that is away, ms; 5 s when absent. */
  readonly whileAwayMs?: number;
}

const EVERY_MS = 30_000;
const WHILE_AWAY_MS = 5000;

/**
 * Looks at the reader every 30 s, and at once when asked; tells the service what it saw, but nothing new before the broker has
 * the last message, and tells the agent when the reader is back.
 */
export class Pulse {
  readonly #options: PulseOptions;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #askedAgain = false;
  #isSending = false;
  /** There was news while the last message was on its way. */
  #isOverdue = false;
  #wasAway = true;
  #nextDueAt = 0;
  #stopped = false;

  constructor(options: PulseOptions) {
    this.#options = options;
  }

  /** Looks now, or once more when a look that is under way has ended. */
  beat(): void {
    if (this.#stopped) return;
    if (this.#looking) {
      this.#askedAgain = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#looking = this.#look().finally(() => this.#next());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #next(): void {
    this.#looking = undefined;
    if (this.#stopped) return;
    if (this.#askedAgain) {
      this.#askedAgain = false;
      this.beat();
      return;
    }
    const { everyMs = EVERY_MS, whileAwayMs = WHILE_AWAY_MS } = this.#options;
    this.#timer = setTimeout(() => this.beat(), this.#wasAway ? Math.min(whileAwayMs, everyMs) : everyMs);
  }

  async #look(): Promise<void> {
    try {
      const seen = await this.#options.examine();
      if (!this.#stopped) this.#heed(seen);
    } catch (error) {
      this.#options.log(
        `the reader could not be examined: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  #heed({ health, isAway, hasRestarted }: Examination): void {
    const isBack = this.#wasAway && !isAway;
    // A reader that stays away is looked at more often than there is something to say about it.
    const isOldNews = isAway && this.#wasAway && performance.now() < this.#nextDueAt;
    if (isAway !== this.#wasAway) {
      this.#options.log(
        isAway ? "the reader's local interface is away" : "the reader's local interface is there",
      );
    }
    this.#wasAway = isAway;
    if (isBack || hasRestarted) this.#options.onReturn();
    else if (health.radio !== undefined) this.#options.onRadio(health.radio !== 'idle');
    if (isOldNews) return;
    if (this.#isSending) {
      this.#isOverdue = true;
      return;
    }
    this.#isSending = true;
    this.#nextDueAt = performance.now() + (this.#options.everyMs ?? EVERY_MS);
    const message = this.#options.takesCommands() ? { ...health, commands: true } : health;
    this.#options.send(JSON.stringify(message), () => {
      this.#isSending = false;
      if (this.#isOverdue) this.beat();
      this.#isOverdue = false;
    });
  }
}
