/** So many ids fit an address that every browser takes, and so many labels anybody's patience. */
export const MOST_LABELS = 100;

/** The address of the labels of assets. */
export const labelsHref = (assets: readonly { readonly id: string }[]): string =>
  `/assets/labels?ids=${assets.map(({ id }) => id).join(',')}`;

/** The ids in such an address, each once, at most `MOST_LABELS`. */
export function labelIds(search: string): readonly string[] {
  const ids = new URLSearchParams(search).get('ids')?.split(',') ?? [];
  return [...new Set(ids.filter((id) => /^[0-9a-f-]{36}$/.test(id)))].slice(0, MOST_LABELS);
}
