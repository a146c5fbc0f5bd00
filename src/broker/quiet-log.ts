import type { BrokerLogger } from './types.ts';

const WINDOW_MS = 60_000;
const LINES_PER_WINDOW = 20;

interface Window {
  startedAt: number;
  lines: number;
}

/**
 * Warnings that strangers can cause: at most 20 lines a minute of each kind, then one line with how many were
 * left out.
 */
export class QuietLog {
  readonly #log: BrokerLogger;
  readonly #now: () => number;
  readonly #windows = new Map<string, Window>();

  constructor(log: BrokerLogger, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** `message` is also the kind: a fixed text, never one made of input. */
  warn(details: object, message: string): void {
    const window = this.#window(message);
    window.lines++;
    if (window.lines <= LINES_PER_WINDOW) this.#log.warn(details, message);
  }

  #window(message: string): Window {
    const now = this.#now();
    const current = this.#windows.get(message);
    if (current && now - current.startedAt < WINDOW_MS) return current;
    const omitted = (current?.lines ?? 0) - LINES_PER_WINDOW;
    if (omitted > 0) this.#log.warn({ omitted }, `${message}: more of the same left out`);
    const fresh = { startedAt: now, lines: 0 };
    this.#windows.set(message, fresh);
    return fresh;
  }
}
