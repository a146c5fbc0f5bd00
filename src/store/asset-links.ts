import { byName } from '../lib/by-name.ts';
import { fold } from '../lib/fold.ts';
import type { AssetRecord } from './records.ts';
import type { Store } from './store.ts';
import { tables } from './tables.ts';

/** What memory holds of an asset. */
export interface KnownAsset
  extends Pick<
    AssetRecord,
    'id' | 'no' | 'name' | 'status' | 'tagNo' | 'tagLabel' | 'linkedAt' | 'expectedReturnAt'
  > {
  readonly orgId: string;
  /** What people say of it (number, name, category, custodian), folded: what is looked for is in it or is not. */
  readonly text: string;
  /** Of a missing one: when its tag had last been seen as it went missing, epoch ms; else 0. */
  readonly missedAt: number;
}

/** A tag's link. `label` is what the inventory calls the tag. */
export interface AssetLink {
  readonly assetId: string;
  readonly orgId: string;
  readonly label: string;
}

/** Which assets of a list are asked for. */
export interface AssetPage {
  readonly after: number | undefined;
  readonly limit: number;
  /** Whether it is the retired ones, or else all others. */
  readonly retired?: boolean;
}

interface OrgAssets {
  /** Those not retired, by name. */
  readonly current: KnownAsset[];
  /** The retired ones, by name. */
  readonly retired: KnownAsset[];
  readonly tagNos: Set<number>;
}

/** Between two texts of an asset: half a character, which a folded text never has, so nothing is found across it. */
const BETWEEN = '\ud800';

/**
 * Every asset in memory (about 400 bytes each), for what is asked too often for the disk: which tag is linked, the list by
 * name, what may be missing. Loaded at the start, then kept right by the store's own news of what is durable; inside a
 * transaction the tables decide.
 */
export class AssetLinks {
  readonly #store: Store;
  readonly #byNo = new Map<number, KnownAsset>();
  readonly #byTag = new Map<number, KnownAsset>();
  readonly #orgs = new Map<string, OrgAssets>();
  readonly #watched = new Set<KnownAsset>();
  #linking = 0;

  constructor(store: Store) {
    this.#store = store;
    for (const { key, value } of store.range(tables.assets)) {
      const known = knownOf(key[0], value);
      this.#index(known);
      this.#listOf(known).push(known);
    }
    for (const { current, retired } of this.#orgs.values())
      for (const one of [current, retired]) one.sort(byName);
    // Whoever changes a link changes the asset too, so this table tells of everything.
    store.watch(tables.assets, (keys) => {
      for (const key of keys) this.#read(key);
    });
  }

  /** The link of a tag, or null. */
  linkOf(tagNo: number): AssetLink | null {
    const asset = this.#byTag.get(tagNo);
    return asset ? { assetId: asset.id, orgId: asset.orgId, label: asset.tagLabel ?? asset.name } : null;
  }

  /** Whether a tag is linked to an asset: quick enough to be asked for every tag there is. */
  linked(tagNo: number): boolean {
    return this.#byTag.has(tagNo);
  }

  /** The numbers of an organisation's linked tags. */
  linkedTags(orgId: string): Iterable<number> {
    return this.#orgs.get(orgId)?.tagNos ?? [];
  }

  /** False when a tag is certainly not linked, even by a write that is on its way: asked inside transactions. */
  mayBeLinked(tagNo: number): boolean {
    return this.#linking > 0 || this.#byTag.has(tagNo);
  }

  /** Runs a write that may link a tag, so that `mayBeLinked` knows of it before it is durable. */
  async whileLinking<T>(write: () => Promise<T>): Promise<T> {
    this.#linking++;
    try {
      return await write();
    } finally {
      this.#linking--;
    }
  }

  /**
   * An organisation's assets by name; `after` is the number of the one to go on after, wherever it is in the order now.
   * Null when it has none with that number.
   */
  page(orgId: string, { after, limit, retired = false }: AssetPage): readonly KnownAsset[] | null {
    const list = this.#orgs.get(orgId)?.[retired ? 'retired' : 'current'] ?? [];
    const last = after === undefined ? undefined : this.#byNo.get(after);
    if (after !== undefined && last?.orgId !== orgId) return null;
    const from = last ? placeOf(list, last) : 0;
    const start = last && list[from] === last ? from + 1 : from;
    return list.slice(start, start + limit);
  }

  /** What time decides about: missing assets, and available ones with a tag. May be iterated across turns. */
  watched(): Iterable<KnownAsset> {
    return this.#watched;
  }

  #read(key: readonly [orgId: string, id: string]): void {
    const record = this.#store.get(tables.assets, key);
    if (!record) return;
    const before = this.#byNo.get(record.no);
    if (before) this.#forget(before);
    const known = knownOf(key[0], record);
    this.#index(known);
    const list = this.#listOf(known);
    list.splice(placeOf(list, known), 0, known);
  }

  #index(known: KnownAsset): void {
    this.#byNo.set(known.no, known);
    if (known.tagNo !== null) {
      this.#byTag.set(known.tagNo, known);
      this.#org(known.orgId).tagNos.add(known.tagNo);
    }
    if (known.status === 'missing' || (known.status === 'available' && known.tagNo !== null))
      this.#watched.add(known);
  }

  #forget(known: KnownAsset): void {
    this.#watched.delete(known);
    const { tagNos } = this.#org(known.orgId);
    // Of two assets in one write, the one that got the tag may be told of first.
    if (known.tagNo !== null && this.#byTag.get(known.tagNo) === known) {
      this.#byTag.delete(known.tagNo);
      tagNos.delete(known.tagNo);
    }
    const list = this.#listOf(known);
    const place = placeOf(list, known);
    if (list[place] === known) list.splice(place, 1);
  }

  #listOf({ orgId, status }: KnownAsset): KnownAsset[] {
    return this.#org(orgId)[status === 'retired' ? 'retired' : 'current'];
  }

  #org(orgId: string): OrgAssets {
    const org = this.#orgs.get(orgId) ?? { current: [], retired: [], tagNos: new Set() };
    this.#orgs.set(orgId, org);
    return org;
  }
}

/** Loads what memory holds of the assets, and follows every change from here on. */
export function createAssetLinks(store: Store): AssetLinks {
  return new AssetLinks(store);
}

function knownOf(orgId: string, record: AssetRecord): KnownAsset {
  const { id, no, name, status, tagNo, tagLabel, linkedAt, expectedReturnAt, missedAt = 0 } = record;
  const said = [record.assetTagNumber, name, record.category, record.custodian ?? ''];
  const text = said.map(fold).join(BETWEEN);
  return { orgId, id, no, name, status, tagNo, tagLabel, linkedAt, expectedReturnAt, missedAt, text };
}

/** Where an asset stands in the order, or would stand. */
function placeOf(list: readonly KnownAsset[], asset: KnownAsset): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = list[middle];
    if (other && byName(other, asset) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
