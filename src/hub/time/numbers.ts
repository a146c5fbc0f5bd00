import { type Language, localeOf, useLanguage } from '../text/language.ts';

const formats = new Map<string, Intl.NumberFormat>();

// Making one takes a thousand times as long as using it.
function formatOf(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.NumberFormat(localeOf(language), options);
  formats.set(key, made);
  return made;
}

/** A number as the language writes it: "12,345"; "−" before what is below zero, which is as wide as a digit. */
export const number = (value: number, language: Language, options: Intl.NumberFormatOptions = {}): string =>
  formatOf(language, options).format(value).replace('-', '−');

/** A number with exactly so many decimals. */
export const decimal = (value: number, language: Language, decimals = 0): string =>
  number(value, language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

/** A part of one in percent, with at most so many decimals: 0.125 is "13%". */
export const percent = (part: number, language: Language, decimals = 0): string =>
  number(part, language, { style: 'percent', maximumFractionDigits: decimals });

/** Writes whole numbers as the language of the page does: "12,345". */
export function useCount(): (count: number) => string {
  const { language } = useLanguage();
  return (count) => number(count, language);
}
