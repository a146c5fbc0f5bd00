import type { Language } from '../text/language.ts';
import { number } from './numbers.ts';

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** How long something lasted, in its largest whole unit: "27 min", "3 days". Less than a second is "0 sec". */
export function duration(ms: number, language: Language): string {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? ['second', 1000];
  const unitDisplay = unit === 'day' ? 'long' : 'short';
  return number(Math.floor(ms / size), language, { style: 'unit', unit, unitDisplay });
}
