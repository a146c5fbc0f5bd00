import { base64EpcLength } from '../contract/payloads.ts';
import { describeJson } from '../lib/json-describe.ts';
import type { Problem } from './decode-figures.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const EQUALS = 61;
const NO_DIGIT = 255;
const KEPT_PER_GENERATION = 32_768;

const sixBits = sixBitsByCode();
const hexCodes = Buffer.from('0123456789ABCDEF');
const scratch = Buffer.alloc(2 * base64EpcLength.max);

/**
 * Tags in view are read again and again, so their EPCs are kept: looking one up takes a third of the time, and handing
 * out the same string spares the tables behind it the hashing. Two generations of 8,192 (about 2 MB) bound the memory:
 * when the young one is full it becomes the old one, and what the old one still held is forgotten.
 */
let young = new Map<string, string>();
let old = new Map<string, string>();

/**
 * The EPC of an R700 event's `epc` (base64url; the standard alphabet and padding are taken too) in upper-case
 * hexadecimal, or null when it is not 4 to 32 bytes in base64.
 */
export function base64Epc(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const kept = young.get(value);
  if (kept !== undefined) return kept;
  const epc = old.get(value) ?? decode(value);
  if (epc !== null) keep(value, epc);
  return epc;
}

/** Why `base64Epc` answered null. */
export function base64EpcProblem(value: unknown): Problem {
  return () => `epc is ${describeJson(value)}; 4 to 32 bytes in base64url are allowed`;
}

function keep(value: string, epc: string): void {
  if (young.size >= KEPT_PER_GENERATION) {
    old = young;
    young = new Map();
  }
  young.set(value, epc);
}

/** Two characters are twelve bits, three hexadecimal digits; an odd last one is paired with zeros, which are cut off. */
function decode(text: string): string | null {
  const length = lengthWithoutPadding(text);
  if (length < base64EpcLength.min || length > base64EpcLength.max || length % 4 === 1) return null;
  let digits = 0;
  for (let at = 0; at < length; at += 2) {
    const high = sixBits[text.charCodeAt(at)] ?? NO_DIGIT;
    const low = at + 1 < length ? (sixBits[text.charCodeAt(at + 1)] ?? NO_DIGIT) : 0;
    if (high === NO_DIGIT || low === NO_DIGIT) return null;
    scratch[digits++] = hexCodes[high >> 2] ?? 0;
    scratch[digits++] = hexCodes[((high & 3) << 2) | (low >> 4)] ?? 0;
    scratch[digits++] = hexCodes[low & 15] ?? 0;
  }
  return scratch.toString('latin1', 0, 2 * Math.floor((length * 6) / 8));
}

function lengthWithoutPadding(text: string): number {
  let length = text.length;
  while (length > text.length - 2 && text.charCodeAt(length - 1) === EQUALS) length--;
  return length;
}

function sixBitsByCode(): Uint8Array {
  const bits = new Uint8Array(128).fill(NO_DIGIT);
  for (let at = 0; at < ALPHABET.length; at++) bits[ALPHABET.charCodeAt(at)] = at;
  bits['+'.charCodeAt(0)] = 62;
  bits['/'.charCodeAt(0)] = 63;
  return bits;
}
