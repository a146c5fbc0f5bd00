import { invalid } from '../domain/refusal.ts';

/** Deeper JSON is refused: nothing of the interface needs it, and recursive code must not meet it. */
export const jsonMaxDepth = 32;

/** Parses a request body. Throws 400 naming the place: not UTF-8, not JSON, nested too deep, broken Unicode. */
export function parseJson(bytes: Buffer): unknown {
  const text = decode(bytes);
  if (isDeeper(text, jsonMaxDepth)) throw invalid(`The body is nested deeper than ${jsonMaxDepth} levels.`);
  try {
    return /\\u[dD][89a-fA-F]/.test(text) ? JSON.parse(text, wellFormed) : JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalid(`The body is not valid JSON: ${place(text, faultIn(text))}.`);
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('The body is not valid UTF-8.');
  }
}

// Half a surrogate pair has no UTF-8 form: stored, it would come back as something else.
function wellFormed(key: string, value: unknown): unknown {
  const broken = /\p{Surrogate}/u;
  if (broken.test(key) || (typeof value === 'string' && broken.test(value)))
    throw invalid(
      'The body holds half a surrogate pair (\\ud800 to \\udfff on its own), which is no character.',
    );
  return value;
}

// Most bodies have fewer brackets than that in all, which is far quicker to see.
function isDeeper(text: string, limit: number): boolean {
  return hasMore(text, limit) && isNestedDeeper(text, limit);
}

function hasMore(text: string, limit: number): boolean {
  let count = 0;
  for (const bracket of ['[', '{'])
    for (let at = text.indexOf(bracket); at >= 0 && count <= limit; at = text.indexOf(bracket, at + 1))
      count++;
  return count > limit;
}

function isNestedDeeper(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 0x5c) i++;
      else if (c === 0x22) inString = false;
    } else if (c === 0x22) inString = true;
    else if (c === 0x5b || c === 0x7b) {
      if (++depth > limit) return true;
    } else if (c === 0x5d || c === 0x7d) depth--;
  }
  return false;
}

function place(text: string, at: number): string {
  if (at >= text.length) return 'it ends too early';
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))} at line ${line}, column ${at - before.lastIndexOf('\n')}`;
}

// JSON.parse tells the position of some errors only, and in words that differ between versions.
const BLANK = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids bare control characters in strings.
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expects = 'value' | 'first-key' | 'key' | 'colon' | 'after';

/** The index of the first character that cannot be there in JSON; the length when the text ends too early. */
export function faultIn(text: string): number {
  const open: string[] = [];
  let expects: Expects = 'value';
  let at = skip(BLANK, text, 0);
  let first = false;
  while (at < text.length) {
    const step = token(text, at, { expects, inside: open.at(-1), first });
    if (step === null) return at;
    if (step.close) open.pop();
    if (step.open) open.push(step.open);
    if (step.fault !== undefined) return step.fault;
    expects = step.next;
    first = step.open !== undefined;
    at = skip(BLANK, text, step.end);
  }
  return text.length;
}

interface Place {
  readonly expects: Expects;
  readonly inside: string | undefined;
  readonly first: boolean;
}

interface Step {
  readonly end: number;
  readonly next: Expects;
  readonly open?: '[' | '{';
  readonly close?: true;
  readonly fault?: number;
}

function token(text: string, at: number, { expects, inside, first }: Place): Step | null {
  const c = text[at];
  const end = at + 1;
  if (expects === 'colon') return c === ':' ? { end, next: 'value' } : null;
  if (c === '}' && inside === '{' && (expects === 'after' || expects === 'first-key'))
    return { end, next: 'after', close: true };
  if (c === ']' && inside === '[' && (expects === 'after' || first))
    return { end, next: 'after', close: true };
  if (expects === 'after')
    return c === ',' && inside ? { end, next: inside === '{' ? 'key' : 'value' } : null;
  if (c === '"') return stringFrom(text, at, expects === 'value' ? 'after' : 'colon');
  if (expects !== 'value') return null;
  if (c === '{') return { end, next: 'first-key', open: '{' };
  if (c === '[') return { end, next: 'value', open: '[' };
  const scalarEnd = skip(SCALAR, text, at);
  return scalarEnd > at ? { end: scalarEnd, next: 'after' } : null;
}

function stringFrom(text: string, start: number, next: Expects): Step {
  let at = start + 1;
  for (;;) {
    at = skip(PLAIN, text, at);
    if (text[at] === '"') return { end: at + 1, next };
    const escaped = skip(ESCAPE, text, at);
    if (escaped === at) return { end: at, next, fault: at };
    at = escaped;
  }
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
