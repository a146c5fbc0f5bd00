import type { QueryClient } from '@tanstack/react-query';
import type { TagData } from '../../../contract/tag-data.ts';
import { call } from '../../api/call.ts';
import { changeRows } from './row-changes.ts';
import { applied, type Written } from './written.ts';

const SHOWN_MAX = 80;

/**
 * Throws, in the given words, when somebody else has written the value since it was read here. What stands there now is then
 * shown, so that whoever saves again knows what they replace.
 */
export async function refuseOvertaken(
  { epc, field, before }: Written,
  client: QueryClient,
  words: (now: string) => string,
): Promise<void> {
  const data = await call<TagData>('GET', `/tags/${epc}/data`);
  const now = String(data.attributes[field.key] ?? '');
  if (now === before) return;
  client.setQueryData(['tag', epc, 'data'], data);
  changeRows(applied(data, field));
  throw new Error(words(now.length > SHOWN_MAX ? `${now.slice(0, SHOWN_MAX)}…` : now));
}
