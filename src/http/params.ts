import { z } from 'zod';

/**
 * The schema of an id in a path. Upper case is folded. What is no UUID at all cannot be anybody's id: the answer is
 * the 404 of an unknown one, not a 400. `noun` is what the id names: `reader`.
 */
export function uuidParam(noun: string): z.ZodType<string> {
  const error = `There is no ${noun} with this id.`;
  return z
    .string()
    .toLowerCase()
    .check(z.guid({ error }))
    .meta({ description: `Id of the ${noun}` });
}

/**
 * The schema of an object with free names and text values, as a Map: no name, `__proto__` included, means anything
 * special in a Map, while `z.record` leaves that one out in silence.
 */
export function textMap(valueMaxLength: number): z.ZodType<ReadonlyMap<string, string>> {
  return z
    .custom<object>(isObject, { error: 'must be an object' })
    .transform((members) => new Map<string, unknown>(Object.entries(members)))
    .pipe(z.map(z.string(), z.string().max(valueMaxLength)))
    .meta({ type: 'object', additionalProperties: { type: 'string', maxLength: valueMaxLength } });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
