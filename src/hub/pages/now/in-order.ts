/** Zones by name as people count: "Aisle 9" before "Aisle 10". */
export function inOrder<T extends { readonly zoneName: string }>(
  zones: readonly T[],
  language: string,
): readonly T[] {
  const { compare } = new Intl.Collator(language, { numeric: true });
  return zones.toSorted((a, b) => compare(a.zoneName, b.zoneName));
}
