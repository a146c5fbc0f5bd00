import { limits } from './limits.ts';
import { invalid } from './refusal.ts';
import type { Value } from './value.ts';

/** The guess made from the first value seen; any value can still be stored in any field. */
export type FieldDataType = 'text' | 'number' | 'boolean' | 'url';

/**
 * The machine name of a label: lower case, runs of anything but letters and digits become one `_`, none at the ends.
 * Throws a 400 naming `path` when nothing is left of it, when it is `epc`, or when the label is too long.
 */
export function fieldKeyOf(label: string, path: string): string {
  if (label.length > limits.nameMaxLength)
    throw invalid('A field name is too long.', [
      { path, message: `must have at most ${limits.nameMaxLength} characters` },
    ]);
  const key = deriveKey(label);
  if (key === '')
    throw invalid('A field name must have a letter or a digit.', [
      { path, message: 'must have a letter or a digit' },
    ]);
  if (key === 'epc') throw invalid('"epc" is not a field.', [{ path, message: 'must not be "epc"' }]);
  return key;
}

/** The key of a label; empty when nothing is left of it. The key of a key is itself. */
export function deriveKey(label: string): string {
  // Normalised, so that two ways of writing the same letter are one key. Lower case first: some capitals
  // (the dotted I) turn into two characters of which one is no letter.
  return label
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
}

/** What a first value tells of its field. */
export function dataTypeOf(value: Value): FieldDataType {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return /^https?:\/\/\S+$/i.test(value.trim()) ? 'url' : 'text';
}
