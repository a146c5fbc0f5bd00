const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** A number of bytes as people say it: `48 GB`, one decimal below ten. */
export function bytes(count: number, language: string): string {
  const power = count < 1000 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), UNITS.length - 1);
  const amount = count / 1000 ** power;
  return new Intl.NumberFormat(language, {
    ...{ style: 'unit', unit: UNITS[power] ?? 'byte', unitDisplay: power === 0 ? 'long' : 'short' },
    maximumFractionDigits: amount < 10 && power > 0 ? 1 : 0,
  }).format(amount);
}

/** A figure as the language writes it, with one decimal at most. */
export const number = (value: number, language: string): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value);
