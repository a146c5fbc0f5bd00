import type { Asset } from '../../../contract/asset.ts';
import type { View } from './filter.ts';

/** Whether it should be back by now. `now` is epoch ms. */
export const isOverdue = ({ status, expectedReturnAt }: Asset, now: number): boolean =>
  status === 'checked_out' && expectedReturnAt !== undefined && Date.parse(expectedReturnAt) < now;

/** Whether a check-out is taken: also of a missing one, which was found in somebody's hands. */
export const canCheckOut = ({ status }: Asset): boolean => status === 'available' || status === 'missing';

export const canCheckIn = ({ status }: Asset): boolean => status === 'checked_out';

export const canChange = ({ status }: Asset): boolean => status !== 'retired';

const byDue = (one: Asset, other: Asset) =>
  (one.expectedReturnAt ?? '~').localeCompare(other.expectedReturnAt ?? '~');
const byLastSeen = (one: Asset, other: Asset) => (one.lastSeenAt ?? '').localeCompare(other.lastSeenAt ?? '');

/**
 * Assets in the order of a view: what is due first, what is lost the longest first, else by name as they came. An
 * incomplete list stays as it came, so that what is loaded later never appears in the middle.
 */
export function inOrder(assets: readonly Asset[], view: View, isComplete: boolean): readonly Asset[] {
  if (!isComplete) return assets;
  if (view === 'overdue' || view === 'checked_out') return assets.toSorted(byDue);
  return view === 'missing' ? assets.toSorted(byLastSeen) : assets;
}

/** Different words of assets, such as their categories, in the language's order, without blanks. */
export function wordsOf(assets: readonly Asset[], word: 'category' | 'custodian'): string[] {
  const words = new Set(assets.map((asset) => asset[word]?.trim() ?? ''));
  words.delete('');
  return [...words].toSorted((one, other) => one.localeCompare(other));
}
