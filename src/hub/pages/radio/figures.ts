const formats = new Map<string, Intl.NumberFormat>();

/** A number in the language of the page, with so many decimals. */
export function decimal(value: number, language: string, decimals = 0): string {
  const key = `${language} ${decimals}`;
  const known = formats.get(key);
  const format =
    known ??
    new Intl.NumberFormat(language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  if (!known) formats.set(key, format);
  // A minus as wide as a digit, not a hyphen.
  return format.format(value).replace('-', '−');
}

/** Hundredths of a dBm as dBm, whole ones. */
export const dbm = (cdbm: number, language: string): string => `${decimal(cdbm / 100, language)} dBm`;

/** Hundredths of a dB as dB, one decimal, without sign. */
export const db = (cdb: number, language: string): string =>
  `${decimal(Math.abs(cdb) / 100, language, 1)} dB`;
