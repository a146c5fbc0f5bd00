import type { Asset } from '../../../contract/asset.ts';
import type { Tag } from '../../../contract/tag.ts';

/** Something that was found: a tag, an asset, or an asset with its tag. */
export interface Result {
  /** `epc:…` or `asset:…`: names it in the address. */
  readonly key: string;
  readonly tag: Tag | null;
  readonly asset: Asset | null;
  /** How well it fits, best is least: see `fitOf`. */
  readonly fit: number;
}

const EPC_TYPED_APART = /^[0-9a-f]{2,}(?:[\s:-]+[0-9a-f]{2,})+$/i;
const EPC_MIN = 16;

/** What to ask for: as it was typed; an EPC written with spaces, colons or hyphens as one word. */
export function askedFor(typed: string): string {
  const trimmed = typed.trim();
  const whole = trimmed.replace(/[\s:-]+/g, '');
  return EPC_TYPED_APART.test(trimmed) && whole.length >= EPC_MIN ? whole : trimmed;
}

/** 0: its EPC, or its number; 1: its whole name; 2: a whole value; 3: how one of these begins; 4: somewhere in it. */
function fitOf(q: string, ids: readonly string[], texts: readonly string[]): number {
  const wanted = q.toLowerCase();
  const is = (text: string) => text.length === wanted.length && text.toLowerCase() === wanted;
  const begins = (text: string) => text.slice(0, wanted.length).toLowerCase() === wanted;
  if (ids.some(is)) return 0;
  const [name = '', ...values] = texts;
  if (is(name)) return 1;
  if (values.some(is)) return 2;
  return begins(name) || ids.some(begins) || values.some(begins) ? 3 : 4;
}

/** Tags and assets in one list, best fit first, an asset and its tag as one; within one fit as they were answered, assets first. */
export function resultsOf(q: string, tags: readonly Tag[], assets: readonly Asset[]): readonly Result[] {
  const tagOf = new Map(tags.map((tag) => [tag.epc, tag]));
  const linked = new Set(assets.flatMap(({ epc }) => epc ?? []));
  const withAssets = assets.map((asset): Result => {
    const tag = tagOf.get(asset.epc ?? '') ?? null;
    const ids = [asset.assetTagNumber, asset.epc ?? ''];
    const texts = [
      asset.name,
      tag?.label ?? '',
      asset.custodian ?? '',
      ...Object.values(tag?.attributes ?? {}),
    ];
    return { key: `asset:${asset.id}`, tag, asset, fit: fitOf(q, ids, texts) };
  });
  const alone = tags
    .filter(({ epc }) => !linked.has(epc))
    .map((tag): Result => {
      const texts = [tag.label ?? '', ...Object.values(tag.attributes)];
      return { key: `epc:${tag.epc}`, tag, asset: null, fit: fitOf(q, [tag.epc], texts) };
    });
  return [...withAssets, ...alone].sort((a, b) => a.fit - b.fit);
}

/** The one that was surely meant: the only one, or the only one whose EPC or number, else whose name or value, was typed in whole. */
export function clearAnswer(results: readonly Result[]): Result | null {
  const [first, second] = results;
  if (!first) return null;
  if (!second) return first;
  return first.fit <= 2 && second.fit > first.fit ? first : null;
}
