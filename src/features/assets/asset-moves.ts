import type { AssetLinks } from '../../store/asset-links.ts';
import { type AssetMove, recordMove, zoneFinder } from '../../store/asset-timeline.ts';
import type { Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

/** A tag's change of zone, as ingest tells it. */
export interface TagMove {
  readonly orgId: string;
  readonly tagNo: number;
  readonly move: AssetMove;
}

/**
 * Writes the moves of linked tags on the timelines of their assets (`zone_exit`, `zone_enter`), within the transaction
 * that makes the moves durable. What happens to unlinked tags costs a look into memory.
 */
export function assetMoves({
  links,
}: {
  readonly links: AssetLinks;
}): (tx: Tx, moves: readonly TagMove[]) => void {
  return (tx, moves) => {
    const zoneOf = zoneFinder(tx);
    for (const { orgId, tagNo, move } of moves) {
      // Memory may be a moment behind; the tables decide.
      const assetId = links.mayBeLinked(tagNo) ? tx.get(tables.assetByTag, tagNo) : undefined;
      const asset = assetId === undefined ? undefined : tx.get(tables.assets, [orgId, assetId]);
      if (!asset) continue;
      // A read may be older than the link; an asset comes to where its tag is when it gets the tag.
      const at = Math.max(move.at, asset.linkedAt ?? 0);
      recordMove(tx, { orgId, asset, zoneOf }, { ...move, at });
    }
  };
}
