/** The readers and tags every target is measured with. */
export const fleet = {
  readers: 50,
  tagsPerReader: 200,
  ports: 4,
} as const;

export const tagsInView = fleet.readers * fleet.tagsPerReader;

export function serialOf(reader: number): string {
  return `BENCH-${String(reader).padStart(2, '0')}`;
}

/** The EPC (24 hex digits) of a tag by its number over all, counting from 0: an SGTIN-96 with a running serial. */
export function epcOf(tag: number): string {
  return `3034257BF7194E40${tag.toString(16).toUpperCase().padStart(8, '0')}`;
}

/** Tags in view are spread evenly over all that are known, as they are on a site that has grown for years. */
export function tagInView(index: number, knownTags: number): number {
  return index * Math.max(1, Math.floor(knownTags / tagsInView));
}
