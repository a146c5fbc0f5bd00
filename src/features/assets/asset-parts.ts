import { z } from 'zod';
import { refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import type { AssetLinks } from '../../store/asset-links.ts';
import type { Directory } from '../../store/directory.ts';
import type { AssetRecord } from '../../store/records.ts';
import type { Reading, Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type { TagLedger } from '../../store/tag-ledger.ts';

export interface AssetRoutesOptions {
  readonly store: Store;
  readonly ledger: TagLedger;
  readonly links: AssetLinks;
  readonly directory: Directory;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
}

/** What every route of one asset has. */
export const ofOneAsset = {
  tag: 'Assets',
  access: 'caller',
  params: z.object({ id: uuidParam('asset') }),
} as const;

/** An asset of the organisation, retired or not. Throws `not-found`. */
export function assetOf(reading: Reading, orgId: string, id: string): AssetRecord {
  const asset = reading.get(tables.assets, [orgId, id]);
  if (!asset) throw refuse('not-found', 'There is no asset with this id.');
  return asset;
}
