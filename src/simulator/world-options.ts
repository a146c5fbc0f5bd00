/** A warehouse: every antenna port looks at a zone of its own, zones stand in a row in the order of the antennas. */
export interface WorldOptions {
  /** Any whole number; the low 32 bits count. */
  readonly seed: number;
  /** At least one; no serial twice. Ports 1 to 4, at least one, none twice. */
  readonly readers: readonly { readonly serial: string; readonly ports: readonly number[] }[];
  /** 1 to 1,000,000. */
  readonly tags: number;
  /** Reads of all readers together, above 0 to 50,000. */
  readonly readsPerSecond: number;
  /** Share of reads made by a neighbouring zone's antenna, 0 to 0.9; 0.05 when absent. */
  readonly crossReadShare?: number;
  /** Share of a tag's turns in which nothing is read of it, 0 to 0.9; 0.1 when absent. */
  readonly missShare?: number;
  /** Mean stay of a tag in a zone, 1 to 1,000,000; 120 when absent. */
  readonly dwellSeconds?: number;
}

const MAX_READERS = 1000;
const PORTS = 4;

/** Throws a RangeError of one line naming the first option that is out of its range. */
export function checkWorld(options: WorldOptions): void {
  checkWhole('seed', options.seed, [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
  checkWhole('tags', options.tags, [1, 1_000_000]);
  checkNumber('readsPerSecond', options.readsPerSecond, [0.001, 50_000]);
  checkNumber('crossReadShare', options.crossReadShare ?? 0, [0, 0.9]);
  checkNumber('missShare', options.missShare ?? 0, [0, 0.9]);
  checkNumber('dwellSeconds', options.dwellSeconds ?? 1, [1, 1_000_000]);
  checkReaders(options.readers);
}

function checkReaders(readers: WorldOptions['readers']): void {
  checkWhole('number of readers', readers.length, [1, MAX_READERS]);
  const serials = readers.map((reader) => reader.serial);
  const repeated = repeatedIn(serials);
  if (repeated !== undefined) throw new RangeError(`reader ${repeated} is given twice`);
  for (const { serial, ports } of readers) {
    checkWhole(`number of ports of reader ${serial}`, ports.length, [1, PORTS]);
    for (const port of ports) checkWhole(`port of reader ${serial}`, port, [1, PORTS]);
    const twice = repeatedIn(ports);
    if (twice !== undefined) throw new RangeError(`port ${twice} of reader ${serial} is given twice`);
  }
}

function repeatedIn<T>(values: readonly T[]): T | undefined {
  return values.find((value, at) => values.indexOf(value) !== at);
}

/** Throws a RangeError naming `name` unless `value` is a whole number from `low` to `high`. */
export function checkWhole(name: string, value: number, range: readonly [low: number, high: number]): void {
  checkNumber(name, value, range);
  if (!Number.isInteger(value)) throw new RangeError(`${name} must be a whole number, not ${value}`);
}

/** Throws a RangeError naming `name` unless `value` is a number from `low` to `high`. */
export function checkNumber(name: string, value: number, range: readonly [low: number, high: number]): void {
  const [low, high] = range;
  if (value >= low && value <= high) return;
  throw new RangeError(`${name} must be ${low} to ${high}, not ${value}`);
}
