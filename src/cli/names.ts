import { limits } from '../domain/limits.ts';
import { CliUsageError } from './context.ts';

/** A name given on the command line, blanks around it cut off. `noun` is what it names: `site`. */
export function checkedName(text: string, noun: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= limits.nameMaxLength) return name;
  throw new CliUsageError(`the name of the ${noun} has 1 to ${limits.nameMaxLength} characters`);
}
