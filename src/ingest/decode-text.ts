import { isUtf8 } from 'node:buffer';
import { isDeeperThan } from '../lib/json-depth.ts';
import { oneLine } from '../lib/json-describe.ts';

const PROBLEM_MAX = 120;
const BOM_BYTES = 3;
/** No event has more than five levels. Parsing a long text of nothing but brackets would hold up all others. */
const LEVELS_MAX = 64;
const LONG_TEXT = 32_768;

/** A value out of a JSON text, or why the text is none. */
export type ParsedJson = { readonly value: unknown } | { readonly problem: string };

/** The text of a payload without a byte order mark, or null when it is not UTF-8. */
export function utf8Text(payload: Uint8Array): string | null {
  if (!isUtf8(payload)) return null;
  const bytes = Buffer.isBuffer(payload)
    ? payload
    : Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString('utf8', marked ? BOM_BYTES : 0);
}

/** Parses a JSON text, or says in one line why not; never throws. A long text may not have more than 64 levels. */
export function parseJson(text: string): ParsedJson {
  if (text.length > LONG_TEXT && isDeeperThan(text, LEVELS_MAX)) {
    return { problem: `nested more than ${LEVELS_MAX} levels deep` };
  }
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (text.trim() === '') return { problem: 'the message is empty' };
    const detail = error instanceof Error ? error.message : String(error);
    return { problem: `not JSON: ${oneLine(detail, PROBLEM_MAX)}` };
  }
}
