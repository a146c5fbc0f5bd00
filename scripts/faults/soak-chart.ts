/** What the process was like at one moment. */
export interface Sample {
  /** Since the beginning. */
  readonly seconds: number;
  /** Memory that is its own: resident less mapped files. */
  readonly megabytes: number;
  readonly heapMb: number;
  readonly externalMb: number;
  readonly storeMb: number;
  readonly descriptors: number;
  /** Event-loop delay since the sample before, beyond the sampling interval. */
  readonly loopP99Ms: number;
  readonly reads: number;
}

const TABLE_ROWS = 12;
const CHART_COLUMNS = 60;
const CHART_ROWS = 8;

const columns: readonly (readonly [string, (sample: Sample) => string])[] = [
  ['minutes', ({ seconds }) => (seconds / 60).toFixed(1)],
  ['reads', ({ reads }) => String(reads)],
  ['memory MB', ({ megabytes }) => megabytes.toFixed(0)],
  ['heap MB', ({ heapMb }) => heapMb.toFixed(0)],
  ['external MB', ({ externalMb }) => externalMb.toFixed(0)],
  ['store MB', ({ storeMb }) => storeMb.toFixed(1)],
  ['descriptors', ({ descriptors }) => String(descriptors)],
  ['loop p99 ms', ({ loopP99Ms }) => loopP99Ms.toFixed(1)],
];

/** Twelve samples spread over all of them, as lines of a table. */
export function tableOf(samples: readonly Sample[]): readonly string[] {
  const rows = spread(samples, TABLE_ROWS).map((sample) => columns.map(([, cell]) => cell(sample)));
  const lines = [columns.map(([title]) => title), ...rows];
  const widths = columns.map((_, nth) => Math.max(...lines.map((line) => line[nth]?.length ?? 0)));
  return lines.map((line) => line.map((cell, nth) => cell.padStart(widths[nth] ?? 0)).join('  '));
}

/** Values over time, drawn with characters; the scale begins at 0. */
export function chartOf(title: string, values: readonly number[]): readonly string[] {
  const shown = spread(values, CHART_COLUMNS);
  const top = Math.max(...shown, Number.MIN_VALUE);
  const heights = shown.map((value) => Math.round((CHART_ROWS * value) / top));
  const lines = Array.from({ length: CHART_ROWS }, (_, row) => {
    const at = CHART_ROWS - row;
    const label = row === 0 ? top.toFixed(0) : '';
    return `${label.padStart(6)} |${heights.map((height) => (height >= at ? '#' : ' ')).join('')}`.trimEnd();
  });
  return [title, ...lines, `${'0'.padStart(6)} +${'-'.repeat(shown.length)}`];
}

/** At most so many of a list, the first and the last among them. */
export function spread<T>(all: readonly T[], count: number): readonly T[] {
  if (all.length <= count) return all;
  return Array.from({ length: count }, (_, nth) =>
    Math.round((nth * (all.length - 1)) / (count - 1)),
  ).flatMap((at) => all.slice(at, at + 1));
}

/** The nth of so many equal parts of a list, counted from 1. */
export function part<T>(all: readonly T[], nth: number, parts: number): readonly T[] {
  const at = (which: number): number => Math.floor((which * all.length) / parts);
  return all.slice(at(nth - 1), at(nth));
}
