import type { z } from 'zod';
import { type FieldError, invalid, type Refused, refuse } from '../domain/refusal.ts';

/** Of many faults the first twenty are told. */
const ERRORS_TOLD = 20;

export type Part = 'path' | 'query' | 'body';

/** The value as the schema has it. Throws 400 naming each field and its rule; 404 for a path id that is no UUID. */
export function check<T>(schema: z.ZodType<T>, value: unknown, part: Part): T {
  const result = schema.safeParse(value, { error: words });
  if (result.success) return result.data;
  throw part === 'path' ? pathRefusal(result.error) : refusalOf(result.error, part);
}

function pathRefusal(error: z.ZodError): Refused {
  const unknown = error.issues.find((issue) => issue.code === 'invalid_format' && isId(issue.format));
  return unknown ? refuse('not-found', capital(unknown.message)) : refusalOf(error, 'path');
}

function isId(format: string): boolean {
  return format === 'uuid' || format === 'guid';
}

function refusalOf(error: z.ZodError, part: Part): Refused {
  const errors = error.issues
    .slice(0, ERRORS_TOLD)
    .map((issue): FieldError => ({ path: issue.path.map(String).join('.'), message: issue.message }));
  const told = errors.slice(0, 3).map(({ path, message }) => `${path || `The ${part}`} ${message}`);
  const rest = error.issues.length > 3 ? ` (and ${error.issues.length - 3} more)` : '';
  return invalid(`${capital(told.join('; '))}${rest}.`, errors);
}

function capital(text: string): string {
  return text.startsWith('the ') ? `T${text.slice(1)}` : text;
}

type Issue = z.core.$ZodRawIssue;

/** A rule in people's words, to be read after the field's name. A schema's own `error` text goes before this. */
function words(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (Array.isArray(issue.input) && issue.expected === 'string') return 'must be one text, not a list';
      return issue.input === undefined ? 'is missing' : `must be ${typeName(String(issue.expected))}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return bound({
        origin: issue.origin,
        limit: Number(issue.minimum),
        side: 'least',
        open: issue.inclusive === false,
      });
    case 'too_big':
      return bound({
        origin: issue.origin,
        limit: Number(issue.maximum),
        side: 'most',
        open: issue.inclusive === false,
      });
    case 'invalid_format':
      return formats.get(issue.format) ?? 'has the wrong form';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has unknown members: ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return unionWords(issue);
    default:
      return 'is not valid';
  }
}

const formats = new Map([
  ['uuid', 'must be a UUID'],
  ['guid', 'must be a UUID'],
  ['datetime', 'must be a time such as 2026-03-01T12:00:00Z'],
  ['email', 'must be an e-mail address'],
  ['url', 'must be a URL'],
]);

const typeNames = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['map', 'an object'],
]);

function typeName(expected: string): string {
  return typeNames.get(expected) ?? expected;
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => (typeof value === 'string' ? value : String(value)));
  return names.length === 1 ? `must be ${names[0]}` : `must be one of ${names.join(', ')}`;
}

interface Bound {
  readonly origin: string;
  readonly limit: number;
  readonly side: 'least' | 'most';
  /** The limit itself is already outside. */
  readonly open: boolean;
}

function bound({ origin, limit, side, open }: Bound): string {
  if (origin === 'string')
    return limit === 1 && side === 'least' ? 'must not be empty' : `must have at ${side} ${limit} characters`;
  if (origin === 'array' || origin === 'set' || origin === 'map')
    return `must hold at ${side} ${limit} items`;
  if (open) return `must be ${side === 'least' ? 'more' : 'less'} than ${limit}`;
  return `must be at ${side} ${limit}`;
}

function unionWords(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  if (issue.input === undefined) return 'is missing';
  const types = issue.errors.flatMap((branch) =>
    branch.flatMap((one) =>
      one.code === 'invalid_type' && one.path.length === 0 ? [typeName(one.expected)] : [],
    ),
  );
  return types.length === issue.errors.length
    ? `must be ${[...new Set(types)].join(' or ')}`
    : 'has the wrong form';
}
