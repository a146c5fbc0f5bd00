/**
 * Keeps a long job from blocking the event loop: ask `due` often, and when it says so await `pause`, which lets
 * everything else run first. `sliceMs` is how long the job may hold the loop at a time.
 */
export class Pace {
  readonly #sliceMs: number;
  #until: number;

  constructor(sliceMs = 4) {
    this.#sliceMs = sliceMs;
    this.#until = performance.now() + sliceMs;
  }

  get due(): boolean {
    return performance.now() >= this.#until;
  }

  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#until = performance.now() + this.#sliceMs;
  }
}
