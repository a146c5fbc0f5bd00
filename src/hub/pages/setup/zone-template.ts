import type { Zone } from '../../../contract/zone.ts';

/** A zone that is to be made. `key` tells rows apart while their names are edited. */
export interface ZoneDraft {
  readonly key: string;
  readonly name: string;
  readonly kind: Zone['kind'];
}

export const zoneKinds = ['portal', 'staging', 'storage', 'checkpoint', 'other'] as const;

/** How many of each are wanted, and how they are named. */
export interface Template {
  readonly doors: number;
  readonly shelves: number;
  readonly hasStaging: boolean;
  readonly door: (no: number) => string;
  readonly shelf: (no: number) => string;
  readonly staging: string;
}

/** So many of one kind a template makes at most. */
export const TEMPLATE_MAX = 40;

/** The zones of a template, less those whose name is taken, in whatever case. Pure. */
export function zonesOf(template: Template, taken: readonly string[]): readonly ZoneDraft[] {
  const { doors, shelves, hasStaging, door, shelf, staging } = template;
  const used = new Set(taken.map(folded));
  const all: readonly ZoneDraft[] = [
    ...numbered(doors).map((no) => ({ key: `door ${no}`, name: door(no), kind: 'portal' as const })),
    ...(hasStaging ? [{ key: 'staging', name: staging, kind: 'staging' as const }] : []),
    ...numbered(shelves).map((no) => ({ key: `shelf ${no}`, name: shelf(no), kind: 'storage' as const })),
  ];
  return all.filter(({ name }) => !used.has(folded(name)));
}

const folded = (name: string): string => name.trim().toLowerCase();

const numbered = (count: number): readonly number[] =>
  Array.from({ length: Math.min(Math.max(0, count), TEMPLATE_MAX) }, (_, at) => at + 1);
