import type { Asset } from '../../contract/asset.ts';
import { type AssetStatus, isReturnLate } from '../../domain/asset.ts';
import { fold } from '../../lib/fold.ts';
import { Pace } from '../../lib/pace.ts';
import type { KnownAsset } from '../../store/asset-links.ts';
import { tables } from '../../store/tables.ts';
import type { AssetRoutesOptions } from './asset-parts.ts';
import { viewOf } from './asset-view.ts';

/** Assets looked at between two looks at the clock. */
const SLICE = 256;
/** What may be part of an EPC, folded. */
const HEXADECIMAL = /^[0-9a-f]{1,64}$/;

/** The filters of GET /assets; one that is undefined lets everything through. */
export interface AssetFilters {
  readonly q?: string | undefined;
  readonly status?: AssetStatus | undefined;
  readonly overdue?: boolean | undefined;
}

export interface AssetQuery {
  readonly orgId: string;
  readonly filters: AssetFilters;
  /** The number of the asset to go on after. */
  readonly after: number | undefined;
  readonly limit: number;
  /** Whether nobody waits for the answer any longer. */
  readonly isGone: () => boolean;
}

/** An asset as it is answered, and its number. */
export interface FoundAsset {
  readonly no: number;
  readonly asset: Asset;
}

/**
 * The first assets that fit, by name; without a status those not retired. Looks through memory in slices of a few
 * milliseconds, so each asset is as it was at some moment while it was asked. Null when `after` is none of the organisation.
 */
export async function findAssets(
  options: AssetRoutesOptions,
  { orgId, filters, after, limit, isGone }: AssetQuery,
): Promise<readonly FoundAsset[] | null> {
  const pace = new Pace();
  const retired = filters.status === 'retired';
  const take = taker(options, filters);
  const found: FoundAsset[] = [];
  for (let last = after; !isGone(); ) {
    const slice = options.links.page(orgId, { after: last, limit: SLICE, retired });
    if (!slice) return null;
    for (const known of slice) {
      const asset = take(known);
      if (asset) found.push({ no: known.no, asset });
      if (found.length === limit) return found;
    }
    last = slice.at(-1)?.no;
    if (slice.length < SLICE) return found;
    if (pace.due) await pace.pause();
  }
  return found;
}

function taker(options: AssetRoutesOptions, filters: AssetFilters): (known: KnownAsset) => Asset | null {
  const { store, now } = options;
  const says = textFilter(options, fold(filters.q ?? ''));
  const fits = ({ status, expectedReturnAt }: Pick<KnownAsset, 'status' | 'expectedReturnAt'>): boolean =>
    (filters.status === undefined || status === filters.status) &&
    (filters.overdue === undefined || isReturnLate({ status, expectedReturnAt }, now()) === filters.overdue);
  return (known) => {
    if (!fits(known) || !says(known)) return null;
    const record = store.get(tables.assets, [known.orgId, known.id]);
    // Memory may be a moment behind the store.
    return record && fits(record) ? viewOf(options, record) : null;
  };
}

/** EPCs are not in the text of an asset: they are asked for only where the needle may be part of one. */
function textFilter({ store }: AssetRoutesOptions, needle: string): (known: KnownAsset) => boolean {
  if (needle === '') return () => true;
  const mayBeEpc = HEXADECIMAL.test(needle);
  return ({ text, tagNo }) =>
    text.includes(needle) ||
    (mayBeEpc &&
      tagNo !== null &&
      store.get(tables.tags, tagNo)?.epc.toLowerCase().includes(needle) === true);
}
