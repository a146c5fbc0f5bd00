import type { Language } from '../../text/language.ts';
import { number } from '../../time/numbers.ts';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** A number of bytes as people say it: `48 GB`, one decimal below ten. */
export function bytes(count: number, language: Language): string {
  const power = count < 1000 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), UNITS.length - 1);
  const amount = count / 1000 ** power;
  return number(amount, language, {
    ...{ style: 'unit', unit: UNITS[power] ?? 'byte', unitDisplay: power === 0 ? 'long' : 'short' },
    maximumFractionDigits: amount < 10 && power > 0 ? 1 : 0,
  });
}
