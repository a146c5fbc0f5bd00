/** What has a name, and a number that grows in the order things are made. */
export interface Named {
  readonly name: string;
  readonly no: number;
}

/** Compares by name, by character codes, so that the order is the same everywhere; equal names in the order they were made. */
export function byName(a: Named, b: Named): number {
  if (a.name === b.name) return a.no - b.no;
  return a.name < b.name ? -1 : 1;
}
