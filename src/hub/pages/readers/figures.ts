import type { Language } from '../../text/language.ts';

/** A number in the language of the page, with so many decimals. */
export const figure = (value: number, language: Language, decimals = 0): string =>
  new Intl.NumberFormat(language, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value);
