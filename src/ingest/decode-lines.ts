import { describeJson } from '../lib/json-describe.ts';
import type { Tally } from './decode-tally.ts';
import { parseJson } from './decode-text.ts';

/** A broken line costs much more than a good one, so a message made of them must not hold up the others. */
const brokenLinesMax = 100;
const TOO_MANY = `not read from here on, ${brokenLinesMax} lines are broken`;

type ParsedLine =
  | { readonly line: number; readonly value: unknown }
  | { readonly line: number; readonly problem: string };

/**
 * Reads a text of several lines, each an object or a list of its own; blank lines (a reader's keep-alive) say nothing. A
 * broken line is rejected by itself; after the 100th the rest of the message is rejected unread, as one. When no line
 * holds an object or a list the text was no such thing, and false is answered.
 */
export function addLines(
  tally: Tally,
  text: string,
  addValue: (tally: Tally, value: unknown) => void,
): boolean {
  const lines = parseLines(text);
  if (!lines.some((parsed) => 'value' in parsed)) return false;
  for (const parsed of lines) {
    tally.line = parsed.line;
    if ('value' in parsed) addValue(tally, parsed.value);
    else tally.reject(() => parsed.problem);
  }
  tally.line = 0;
  return true;
}

function parseLines(text: string): readonly ParsedLine[] {
  const parsedLines: ParsedLine[] = [];
  const lines = text.split('\n');
  let broken = 0;
  for (let at = 0; at < lines.length && broken < brokenLinesMax; at++) {
    const content = lines[at]?.trim() ?? '';
    if (content === '') continue;
    const parsed = parseLine(content, at + 1);
    if ('problem' in parsed) broken++;
    parsedLines.push(parsed);
    if (broken === brokenLinesMax) parsedLines.push({ line: at + 2, problem: TOO_MANY });
  }
  return parsedLines;
}

function parseLine(text: string, line: number): ParsedLine {
  const parsed = parseJson(text);
  if ('problem' in parsed) return { line, problem: parsed.problem };
  const { value } = parsed;
  if (typeof value === 'object' && value !== null) return { line, value };
  return { line, problem: `a line is ${describeJson(value)}; an object or a list is expected` };
}
