import type { Language } from '../../text/language.ts';
import { decimal } from '../../time/numbers.ts';

/** Hundredths of a dBm as dBm, whole ones. */
export const dbm = (cdbm: number, language: Language): string => `${decimal(cdbm / 100, language)} dBm`;

/** Hundredths of a dB as dB, one decimal, without sign. */
export const db = (cdb: number, language: Language): string =>
  `${decimal(Math.abs(cdb) / 100, language, 1)} dB`;
