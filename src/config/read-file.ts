import { readFileSync, statSync } from 'node:fs';
import { duplicateKey } from './duplicate-key.ts';
import { ConfigError } from './error.ts';

const MAX_BYTES = 1024 * 1024;

/** The JSON object in a configuration file, keys unchecked; null when there is no such file. Throws `ConfigError`. */
export function readConfigFile(file: string): object | null {
  const text = readText(file);
  if (text === null) return null;
  const value = parse(text, file);
  const twice = duplicateKey(text);
  if (twice !== null) throw new ConfigError(`key ${JSON.stringify(twice)} in ${file} is given twice`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(`${file} must hold one JSON object`);
  }
  return value;
}

function readText(file: string): string | null {
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) throw new ConfigError(`configuration file ${file} is a folder`);
    if (stat.size > MAX_BYTES) throw new ConfigError(`configuration file ${file} is larger than 1 MB`);
    // A byte order mark is what some editors put there, not part of the JSON.
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return null;
    throw new ConfigError(`configuration file ${file} can't be read: ${reason(error)}`);
  }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${file} is not valid JSON: ${reason(error)}${lineOf(error, text)}`);
  }
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

// Older Node versions give the position only, newer ones the line too.
function lineOf(error: unknown, text: string): string {
  const message = reason(error);
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined || /\(line \d+/.test(message)) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return ` (line ${before.length} column ${(before.at(-1)?.length ?? 0) + 1})`;
}
