/** A bar and the next one, as the design has them: met at or above (`more`) or at or below (`less`). */
export interface Bar {
  readonly better: 'more' | 'less';
  readonly first: number;
  readonly next: number;
  readonly unit: string;
}

/** One line of the report; `value` is NaN when it was not measured, and `note` says why then. */
export interface Row {
  readonly what: string;
  readonly value: number;
  readonly bar: Bar;
  readonly note?: string;
}

/** Everything the report prints. */
export interface Report {
  readonly title: string;
  readonly command: string;
  readonly date: Date;
  readonly facts: readonly string[];
  readonly rows: readonly Row[];
  /** Tables of the figures behind the rows: a header, then lines. */
  readonly details: readonly (readonly (readonly string[])[])[];
  readonly notes: readonly string[];
}

/** The report as Markdown. */
export function markdown(report: Report): string {
  return [
    `# ${report.title}`,
    '',
    `- ${report.date.toISOString()}, \`${report.command}\``,
    ...report.facts.map((fact) => `- ${fact}`),
    '',
    ...table([['what', 'measured', 'bar', 'next bar'], ...report.rows.map(cells)]),
    ...report.details.flatMap((detail) => ['', ...table(detail)]),
    ...(report.notes.length > 0 ? ['', ...report.notes.map((note) => `- ${note}`)] : []),
    '',
  ].join('\n');
}

function cells({ what, value, bar, note }: Row): readonly string[] {
  const shown = Number.isNaN(value) ? `not measured${note ? `: ${note}` : ''}` : figure(value, bar.unit);
  return [what, shown, verdict(value, bar, bar.first), verdict(value, bar, bar.next)];
}

function verdict(value: number, { better, unit }: Bar, limit: number): string {
  const bar = `${better === 'more' ? '≥' : '≤'} ${figure(limit, unit)}`;
  if (Number.isNaN(value)) return bar;
  const met = better === 'more' ? value >= limit : value <= limit;
  return `${bar}: ${met ? 'met' : '**not met**'}`;
}

/** A number as people read it: three figures at least, thousands apart. */
export function figure(value: number, unit = ''): string {
  if (Number.isNaN(value)) return '-';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const text = value.toLocaleString('en-US', { maximumFractionDigits: digits });
  return unit === '' ? text : `${text} ${unit}`;
}

function table(lines: readonly (readonly string[])[]): readonly string[] {
  const [header = [], ...rows] = lines;
  const row = (line: readonly string[]): string => `| ${line.join(' | ')} |`;
  return [row(header), row(header.map(() => '---')), ...rows.map(row)];
}
