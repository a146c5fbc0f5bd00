import type { Asset } from '../../../contract/asset.ts';
import { byName } from '../../ui/by-name.ts';
import type { View } from './filter.ts';

/** Whether it should be back by now. `now` is epoch ms. */
export const isOverdue = ({ status, expectedReturnAt }: Asset, now: number): boolean =>
  status === 'checked_out' && expectedReturnAt !== undefined && Date.parse(expectedReturnAt) < now;

/** Whether a check-out is taken: also of a missing one, which was found in somebody's hands. */
export const canCheckOut = ({ status }: Asset): boolean => status === 'available' || status === 'missing';

export const canCheckIn = ({ status }: Asset): boolean => status === 'checked_out';

export const canChange = ({ status }: Asset): boolean => status !== 'retired';

// Never seen is lost the longest, never due is due last. Two of these may be equal, whose difference is no number.
const difference = (one: number, other: number) => (one === other ? 0 : one - other);
const dueMs = ({ expectedReturnAt }: Asset) => (expectedReturnAt ? Date.parse(expectedReturnAt) : Infinity);
const seenMs = ({ lastSeenAt }: Asset) => (lastSeenAt ? Date.parse(lastSeenAt) : 0);
const byDue = (one: Asset, other: Asset) => difference(dueMs(one), dueMs(other));
const byLastSeen = (one: Asset, other: Asset) => difference(seenMs(one), seenMs(other));

/**
 * Assets in the order of a view: what is due first, what is lost the longest first, else by name as people count. Part of a
 * list stays as it came, so that what is loaded later never appears in the middle.
 */
export function inOrder(assets: readonly Asset[], view: View, isWhole: boolean): readonly Asset[] {
  if (!isWhole) return assets;
  const sorted = byName(assets, ({ name }) => name);
  if (view === 'overdue' || view === 'checked_out') return sorted.sort(byDue);
  return view === 'missing' ? sorted.sort(byLastSeen) : sorted;
}

/** Different words of assets, such as their categories, in the language's order, without blanks. */
export function wordsOf(assets: readonly Asset[], word: 'category' | 'custodian'): string[] {
  const words = new Set(assets.map((asset) => asset[word]?.trim() ?? ''));
  words.delete('');
  return byName([...words], (one) => one);
}
