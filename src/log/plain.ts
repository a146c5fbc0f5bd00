const LEVEL_WIDTH = 5;
const NAME_WIDTH = 10;

/** The line a person reads in a terminal for one log record: time of day (UTC), level, name, message, fields, stack. */
export function plainLine(record: Readonly<Record<string, unknown>>): string {
  const { time, level, name, msg, err, ...rest } = record;
  const head = [
    String(time).slice(11, 23),
    String(level).toUpperCase().padEnd(LEVEL_WIDTH),
    String(name ?? '').padEnd(NAME_WIDTH),
    printable(String(msg ?? '')),
  ];
  const fields = Object.entries(rest).map(([key, value]) => `${printable(key)}=${fieldText(value)}`);
  return `${[...head, ...fields].join(' ').trimEnd()}\n${stackLines(err)}`;
}

const fieldText = (value: unknown): string =>
  typeof value === 'string' && /^[\w.:/@-]+$/.test(value) ? value : printable(JSON.stringify(value));

// A client id or file name could otherwise move the cursor or recolour the terminal.
const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

function stackLines(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const text = 'stack' in err ? String(err.stack) : JSON.stringify(err);
  return `${text
    .split('\n')
    .map((line) => `    ${printable(line)}`)
    .join('\n')}\n`;
}
