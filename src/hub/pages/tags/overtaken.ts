import type { QueryClient } from '@tanstack/react-query';
import type { TagData } from '../../../contract/tag-data.ts';
import { call } from '../../api/call.ts';
import { changeRows } from './row-changes.ts';
import { applied, valueIn, type Written } from './written.ts';

const SHOWN_MAX = 80;

/** Somebody else has written the value meanwhile: `now` is what stands there, as it is kept. */
export class OvertakenError extends Error {
  readonly now: string;

  constructor(now: string, words: string) {
    super(words);
    this.name = 'OvertakenError';
    this.now = now;
  }
}

/**
 * Throws `OvertakenError`, in the given words, when somebody else has written the value since it was read here. What stands there now is then
 * shown, so that whoever saves again knows what they replace.
 */
export async function refuseOvertaken(
  { epc, field, before }: Written,
  client: QueryClient,
  words: (now: string) => string,
): Promise<void> {
  const data = await call<TagData>('GET', `/tags/${epc}/data`);
  const now = valueIn(data, field);
  if (now === before) return;
  client.setQueryData(['tag', epc, 'data'], data);
  changeRows(applied(data, field));
  throw new OvertakenError(now, words(now.length > SHOWN_MAX ? `${now.slice(0, SHOWN_MAX)}…` : now));
}
