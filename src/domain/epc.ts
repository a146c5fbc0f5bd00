import { limits } from './limits.ts';

const EPC = new RegExp(`^[0-9A-F]{${limits.epcMinDigits},${limits.epcMaxDigits}}$`);

/** The EPC in upper case, or null when it is not 8 to 64 hexadecimal digits (odd numbers of digits are fine). */
export function parseEpc(text: string): string | null {
  if (EPC.test(text)) return text;
  const folded = text.toUpperCase();
  return EPC.test(folded) && folded.length === text.length ? folded : null;
}
