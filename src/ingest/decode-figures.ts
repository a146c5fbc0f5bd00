import { readCountMax, rssiRangeCdbm } from '../contract/payloads.ts';
import { parseEpc } from '../domain/epc.ts';
import { limits } from '../domain/limits.ts';
import { parseInstant } from '../lib/instant.ts';
import { describeJson } from '../lib/json-describe.ts';

/** A parsed JSON object. Only keys of ours are ever looked up, so `__proto__` and its like are ordinary unknown keys. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Why there is no read, as one line for people; worked out only when it is kept, so that a flood of them is cheap. */
export type Problem = () => string;

/** True for an object that is neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The EPC written in hexadecimal, in upper case, or null when it is none. */
export function hexEpc(value: unknown): string | null {
  return typeof value === 'string' ? parseEpc(value) : null;
}

/** Why `hexEpc` answered null. */
export function hexEpcProblem(name: string, value: unknown): Problem {
  const allowed = `${limits.epcMinDigits} to ${limits.epcMaxDigits} hexadecimal digits are allowed`;
  return () => {
    const isHex = typeof value === 'string' && /^[0-9A-Fa-f]+$/.test(value);
    return isHex
      ? `${name} has ${value.length} digits; ${allowed}`
      : `${name} is ${describeJson(value)}; ${allowed}`;
  };
}

/** An antenna port of the interface, or not said. */
export function isPort(value: unknown): value is number | null | undefined {
  if (typeof value !== 'number') return value === undefined || value === null;
  return Number.isInteger(value) && value >= 1 && value <= limits.antennaPorts;
}

/** Why `isPort` said no. */
export function portProblem(name: string, value: unknown): Problem {
  return () => `${name} is ${describeJson(value)}; a whole number of 1 to ${limits.antennaPorts} is allowed`;
}

/** How many reads a message stands for, or not said. */
export function isCount(value: unknown): value is number | null | undefined {
  if (typeof value !== 'number') return value === undefined || value === null;
  return Number.isInteger(value) && value >= 1 && value <= readCountMax;
}

/** Why `isCount` said no. */
export function countProblem(name: string, value: unknown): Problem {
  return () => `${name} is ${describeJson(value)}; a whole number of 1 to ${readCountMax} is allowed`;
}

/**
 * Signal strength in whole hundredths of a dBm; `perUnit` says how many of them one unit of the payload has. Null when
 * it is not said, no number or not plausible: a read is not lost for its signal strength.
 */
export function rssiCdbm(value: unknown, perUnit: 1 | 100): number | null {
  if (typeof value !== 'number') return null;
  const cdbm = Math.round(value * perUnit);
  // `+ 0` turns a negative zero, which JSON can carry, into zero.
  return cdbm >= rssiRangeCdbm.min && cdbm <= rssiRangeCdbm.max ? cdbm + 0 : null;
}

/** The reader's time, epoch milliseconds; null when it is not said or not understood (arrival time stands in for it). */
export function readerAt(value: unknown): number | null {
  return typeof value === 'string' ? parseInstant(value) : null;
}
