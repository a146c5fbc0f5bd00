export interface FailureLimitOptions {
  /** Failures before the first wait. */
  readonly free: number;
  /** Of more keys than this the one heard of longest ago is forgotten. */
  readonly maxKeys: number;
}

const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** Failures are forgotten that long after the last one, or after the wait it led to. */
const FORGET_AFTER_MS = 15 * 60_000;
const CHECKING_WAIT_MS = 1000;

interface Failures {
  count: number;
  /** Attempts whose outcome is not known yet. */
  checking: number;
  blockedUntil: number;
  lastAt: number;
}

/**
 * Counts failed attempts by key (an account, an address). After `free` of them each next attempt waits: 30 s, then twice as
 * long each time, at most 15 minutes. Attempts under way count, so that many at once gain nothing. In memory and bounded.
 */
export class FailureLimit {
  readonly #options: FailureLimitOptions;
  readonly #failures = new Map<string, Failures>();

  constructor(options: FailureLimitOptions) {
    this.#options = options;
  }

  /** How long an attempt has to wait, ms; 0: it may begin. `now` is epoch ms. */
  waitMs(key: string, now: number): number {
    const failures = this.#current(key, now);
    if (!failures) return 0;
    const wait = failures.blockedUntil - now;
    // A longer one comes of a clock that was set back.
    if (wait > 0 && wait <= LONGEST_WAIT_MS) return wait;
    const atOnce = Math.max(1, this.#options.free - failures.count);
    return failures.checking >= atOnce ? CHECKING_WAIT_MS : 0;
  }

  /** An attempt begins: `failed`, `succeeded` or `dropped` has to follow. */
  begin(key: string, now: number): void {
    const failures = this.#current(key, now) ?? { count: 0, checking: 0, blockedUntil: 0, lastAt: now };
    failures.checking++;
    // The most recent key stands last.
    this.#failures.delete(key);
    this.#failures.set(key, failures);
    if (this.#failures.size > this.#options.maxKeys) this.#forgetOldest();
  }

  failed(key: string, now: number): void {
    const failures = this.#settled(key);
    if (!failures) return;
    failures.count++;
    failures.lastAt = now;
    const over = failures.count - this.#options.free;
    if (over >= 0) failures.blockedUntil = now + Math.min(FIRST_WAIT_MS * 2 ** over, LONGEST_WAIT_MS);
  }

  /** Earlier failures are forgiven when `forgive` says so. */
  succeeded(key: string, forgive: boolean): void {
    const failures = this.#settled(key);
    if (!failures || !forgive) return;
    failures.count = 0;
    failures.blockedUntil = 0;
  }

  /** The attempt came to nothing, neither good nor bad. */
  dropped(key: string): void {
    this.#settled(key);
  }

  get size(): number {
    return this.#failures.size;
  }

  #settled(key: string): Failures | undefined {
    const failures = this.#failures.get(key);
    if (failures) failures.checking--;
    return failures;
  }

  #current(key: string, now: number): Failures | undefined {
    const failures = this.#failures.get(key);
    if (!failures || failures.checking > 0) return failures;
    const since = Math.max(failures.blockedUntil, failures.lastAt);
    if (failures.count > 0 && now - since < FORGET_AFTER_MS) return failures;
    this.#failures.delete(key);
    return undefined;
  }

  #forgetOldest(): void {
    for (const [key, { checking }] of this.#failures) {
      if (checking > 0) continue;
      this.#failures.delete(key);
      return;
    }
  }
}
