import type { Caller } from '../../http/route.ts';
import { recordMove, zoneFinder } from '../../store/asset-timeline.ts';
import { type AssetAt, linkTag } from '../../store/assets.ts';
import { type AuditNote, auditedWrite } from '../../store/audit.ts';
import { orgNoOf } from '../../store/organisations.ts';
import type { AssetRecord } from '../../store/records.ts';
import type { Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type { JournalEntry } from '../../store/tag-ledger.ts';
import { registerTag } from '../../store/tag-registry.ts';
import type { AssetRoutesOptions } from './asset-parts.ts';
import { auditViewOf } from './asset-view.ts';

/** What a write that links a tag leaves: what it made, and the new tag to take into the live state. */
export interface Linked {
  readonly asset: AssetRecord;
  readonly entry: JournalEntry | null;
}

export interface EpcLink {
  /** Upper-case hexadecimal. */
  readonly epc: string;
  readonly label: string | null;
  readonly supersede: boolean;
}

/** One audited write that may make a tag. `write` gets the time it happens, epoch ms. Throws `disk-full`. */
export async function linkingWrite(
  { ledger, links, now }: AssetRoutesOptions,
  caller: Caller,
  write: (tx: Tx, note: (entry: AuditNote) => void, now: number) => Linked,
): Promise<AssetRecord> {
  const at = now();
  return links.whileLinking(async () => {
    const author = { author: caller, now: at };
    const { asset, entry } = await auditedWrite(ledger, author, (tx, note) => write(tx, note, at));
    if (entry) ledger.applied(entry);
    return asset;
  });
}

/**
 * Links the tag with an EPC to an asset, within a transaction; an EPC never seen makes the tag. When the new tag is in
 * another zone than the one before, the asset has come there now. Throws as `linkTag`.
 */
export function linkEpc(
  options: AssetRoutesOptions,
  tx: Tx,
  {
    at,
    link,
    note,
  }: { readonly at: AssetAt; readonly link: EpcLink; readonly note: (entry: AuditNote) => void },
): Linked {
  const { ledger, newId } = options;
  const { orgId, now } = at;
  const { tagNo, touch } = registerTag(tx, { orgNo: orgNoOf(tx, orgId), epc: link.epc, now, newId });
  if (touch) note({ action: 'create', resource: `tags/${link.epc}` });
  const { asset, ended } = linkTag(tx, at, { ...link, tagNo });
  const zoneNoOf = (no: number | null) => (no === null ? 0 : ledger.states.get(no).zoneNo);
  const move = { from: zoneNoOf(at.asset.tagNo), to: zoneNoOf(tagNo), at: now };
  recordMove(tx, { orgId, asset, zoneOf: zoneFinder(tx) }, move);
  if (ended) {
    const after = tx.get(tables.assets, [orgId, ended.id]) ?? ended;
    const resource = `assets/${ended.id}`;
    note({ action: 'unlink', resource, before: { epc: link.epc }, after: auditViewOf(tx, after) });
  }
  return { asset, entry: touch && ledger.append(tx, [touch]) };
}
