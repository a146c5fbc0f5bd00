import { z } from 'zod';
import { limits } from '../domain/limits.ts';

export interface WholeNumber {
  readonly min: number;
  readonly max: number;
  readonly description: string;
}

/** A whole number in a query; what is none, or out of range, gets a 400. */
export function wholeNumberQuery({ min, max, description }: WholeNumber) {
  return z
    .string()
    .regex(/^\d{1,6}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max, pattern: undefined, description });
}

/** Like `wholeNumberQuery`, and `otherwise` when it is left out. */
export function wholeNumberOr(otherwise: number, shape: WholeNumber) {
  return wholeNumberQuery({ ...shape, description: `${shape.description}; ${otherwise} when left out` })
    .optional()
    .transform((value) => value ?? otherwise);
}

/** `minutes` of the query of a history. */
export const minutesQuery = wholeNumberOr(60, {
  ...{ min: 1, max: limits.historyMinutes },
  description: 'How many minutes, the newest last',
});
