import type { CrossReads } from '../../../contract/radio.ts';

/** More zones than these are no table that anybody reads. */
export const MATRIX_ZONES = 16;

export interface MatrixCell {
  readonly zoneId: string;
  readonly tags: number;
  /** Part of the tags of the zone with fewer of them, 0..1. */
  readonly part: number;
}

export interface MatrixRow {
  readonly zoneId: string;
  readonly zoneName: string;
  /** Heard here. */
  readonly tags: number;
  /** One for each row, in their order; null where row and column are the same zone. */
  readonly cells: readonly (MatrixCell | null)[];
}

export interface Matrix {
  readonly rows: readonly MatrixRow[];
  /** Zones left out, because others share more tags. */
  readonly left: number;
}

/** Zones by zones, by name: those that share the most tags when there are too many of them. */
export function matrixOf({ zones, pairs }: CrossReads): Matrix {
  const shared = sharedTags(pairs);
  const chosen = new Set(
    [...zones]
      .sort((a, b) => weight(b.zoneId) - weight(a.zoneId) || b.tags - a.tags)
      .slice(0, MATRIX_ZONES)
      .map(({ zoneId }) => zoneId),
  );
  function weight(zoneId: string): number {
    return [...(shared.get(zoneId)?.values() ?? [])].reduce((sum, tags) => sum + tags, 0);
  }
  const shown = zones.filter(({ zoneId }) => chosen.has(zoneId));
  const rows = shown.map((row) => ({
    ...row,
    cells: shown.map((column) => cellOf(row, column, shared.get(row.zoneId)?.get(column.zoneId) ?? 0)),
  }));
  return { rows, left: zones.length - shown.length };
}

type Zone = CrossReads['zones'][number];

function cellOf(row: Zone, column: Zone, tags: number): MatrixCell | null {
  if (row.zoneId === column.zoneId) return null;
  const fewer = Math.min(row.tags, column.tags);
  return { zoneId: column.zoneId, tags, part: fewer > 0 ? Math.min(1, tags / fewer) : 0 };
}

function sharedTags(pairs: CrossReads['pairs']): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const shared = new Map<string, Map<string, number>>();
  const put = (a: string, b: string, tags: number) => {
    const row = shared.get(a) ?? new Map<string, number>();
    shared.set(a, row.set(b, tags));
  };
  for (const { zoneId, otherZoneId, tags } of pairs) {
    put(zoneId, otherZoneId, tags);
    put(otherZoneId, zoneId, tags);
  }
  return shared;
}
