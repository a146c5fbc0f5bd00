/** What `/metrics` said, by name. Labels are left out: of a labelled metric the last line counts. */
export class Metrics {
  readonly #values = new Map<string, number>();

  constructor(text: string) {
    for (const line of text.split('\n')) {
      const found = /^([a-zA-Z_:][\w:]*)(?:\{[^}]*\})? (\S+)/.exec(line);
      if (found?.[1]) this.#values.set(found[1], Number(found[2]));
    }
  }

  static async of(origin: string): Promise<Metrics> {
    const response = await fetch(`${origin}/metrics`);
    if (!response.ok) throw new Error(`GET /metrics answered ${response.status}`);
    return new Metrics(await response.text());
  }

  /** Throws for one that is not there: a renamed metric must not read as 0. */
  get(name: string): number {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`/metrics has no ${name}`);
    return value;
  }

  /** How much a counter has grown since. */
  since(before: Metrics, name: string): number {
    return this.get(name) - before.get(name);
  }
}
