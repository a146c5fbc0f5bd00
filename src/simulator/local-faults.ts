import { isObject, type Schema, type SchemaFault, schemaFault } from './local-schema.ts';

/** A call a fault is for: `path` is how its path begins (`/api/v1/profiles/stop`), `method` any when absent. */
export interface FaultTarget {
  readonly path: string;
  readonly method?: string;
  /** How often it happens, 1 to 1000; once when absent. */
  readonly times?: number;
}

/** What goes wrong on demand. */
export interface LocalFaults {
  /** Milliseconds a call takes longer, up to 120,000. */
  readonly delayMs?: number;
  /** Which calls: a regular expression over `METHOD path`, or how paths begin; all when absent. */
  readonly delayCalls?: string | readonly string[];
  /** Whether the wait comes before the call takes effect (absent too) or after it. */
  readonly delayWhen?: 'before' | 'after';
  /** The call is answered so and has no effect. */
  readonly failNext?: FaultTarget & { readonly status: number; readonly message?: string };
  /** The connection breaks before or after the call has taken effect (and is on disk). */
  readonly dropNext?: FaultTarget & { readonly when: 'before' | 'after' };
  /** Every call is answered 401. */
  readonly credentials?: 'refused';
}

/** What is to become of one call. */
export interface Fate {
  readonly delayBeforeMs: number;
  readonly delayAfterMs: number;
  readonly fail: { readonly status: number; readonly message: string } | null;
  readonly drop: 'before' | 'after' | null;
}

const DELAY_MAX_MS = 120_000;
const TIMES_MAX = 1000;
const TEXT_MAX = 500;

const text: Schema = { type: 'string', minLength: 1, maxLength: TEXT_MAX };
const target = {
  path: text,
  method: { type: 'string', enum: ['GET', 'PUT', 'POST', 'DELETE'] },
  times: { type: 'integer', minimum: 1, maximum: TIMES_MAX },
} as const;
const faultsSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    delayMs: { type: 'integer', minimum: 0, maximum: DELAY_MAX_MS },
    delayWhen: { type: 'string', enum: ['before', 'after'] },
    failNext: {
      type: 'object',
      additionalProperties: false,
      required: ['path', 'status'],
      properties: { ...target, status: { type: 'integer', minimum: 400, maximum: 599 }, message: text },
    },
    dropNext: {
      type: 'object',
      additionalProperties: false,
      required: ['path', 'when'],
      properties: { ...target, when: { type: 'string', enum: ['before', 'after'] } },
    },
    credentials: { type: 'string', enum: ['refused'] },
  },
};
const prefixes: Schema = { type: 'array', minItems: 1, maxItems: 50, items: text };

/** Why a parsed JSON value is no set of faults, or null. */
export function faultsFault(value: unknown): SchemaFault | null {
  if (!isObject(value)) return schemaFault(faultsSchema, value);
  const { delayCalls, ...others } = value;
  return schemaFault(faultsSchema, others) ?? delayCallsFault(delayCalls);
}

/** Whether `faultsFault` has nothing to say. */
export function isFaults(value: unknown): value is LocalFaults {
  return faultsFault(value) === null;
}

function delayCallsFault(value: unknown): SchemaFault | null {
  if (value === undefined) return null;
  if (typeof value !== 'string') return schemaFault(prefixes, value, 'delayCalls');
  try {
    new RegExp(value);
  } catch {
    return { path: 'delayCalls', reason: 'is no regular expression' };
  }
  return schemaFault(text, value, 'delayCalls');
}

/** Deals the faults that are set to the calls as they come. */
export class FaultDealer {
  #faults: LocalFaults = {};
  #left = { failNext: 0, dropNext: 0 };

  /** What is set, with how often it is still to happen. */
  get pending() {
    return { ...this.#faults, left: { ...this.#left } };
  }

  /** Replaces all faults; an empty object ends them. */
  set(faults: LocalFaults): void {
    const { failNext, dropNext } = faults;
    this.#faults = faults;
    this.#left = {
      failNext: failNext === undefined ? 0 : (failNext.times ?? 1),
      dropNext: dropNext === undefined ? 0 : (dropNext.times ?? 1),
    };
  }

  /** Whether the right credentials are refused too. */
  get refuses(): boolean {
    return this.#faults.credentials === 'refused';
  }

  /** Uses up one of the counted faults when it is for this call. */
  deal(method: string, path: string): Fate {
    const { delayMs = 0, delayWhen = 'before', failNext, dropNext } = this.#faults;
    const delay = this.#isDelayed(method, path) ? delayMs : 0;
    const fails = this.#use('failNext', method, path);
    const drops = this.#use('dropNext', method, path);
    return {
      delayBeforeMs: delayWhen === 'before' ? delay : 0,
      delayAfterMs: delayWhen === 'after' ? delay : 0,
      fail:
        fails && failNext
          ? { status: failNext.status, message: failNext.message ?? 'Fault on demand' }
          : null,
      drop: drops && dropNext ? dropNext.when : null,
    };
  }

  #isDelayed(method: string, path: string): boolean {
    const { delayCalls } = this.#faults;
    if (delayCalls === undefined) return true;
    if (typeof delayCalls === 'string') return new RegExp(delayCalls).test(`${method} ${path}`);
    return delayCalls.some((prefix) => path.startsWith(prefix));
  }

  #use(name: 'failNext' | 'dropNext', method: string, path: string): boolean {
    const fault = this.#faults[name];
    if (fault === undefined || this.#left[name] === 0) return false;
    if (!path.startsWith(fault.path) || (fault.method ?? method) !== method) return false;
    this.#left[name] -= 1;
    return true;
  }
}
