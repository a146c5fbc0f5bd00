import type { Antenna, AntennaChange } from '../../../contract/antenna.ts';

/** Ranges of the interface, so that what is out of range is refused before it is sent. */
export const ranges = {
  powerDbm: { min: 10, max: 33 },
  session: { min: 0, max: 3 },
  population: { min: 1, max: 32_768 },
} as const;

export const searchModes = ['dual-target', 'single-target', 'single-target-with-tagfocus'] as const;

/** A port's settings as they are typed: a number, or text that is none (yet). */
export interface PortFields {
  readonly zoneId: string | null;
  readonly powerDbm: number | string;
  readonly session: number;
  readonly searchMode: Antenna['searchMode'];
  readonly population: number | string;
  readonly enabled: boolean;
}

/** What was edited and not saved: by port, only the fields that were touched, so that others' changes show through. */
export type Draft = Readonly<Record<number, Partial<PortFields>>>;

/** A field that cannot be sent as it is. */
export interface Fault {
  readonly port: number;
  readonly field: 'powerDbm' | 'population';
}

/** New settings of a port, as they are sent. */
export type PortChange = Pick<AntennaChange, 'port' | 'zoneId'> & Partial<AntennaChange>;

const CDBM = 100;

/** A port's settings in the units of the form. */
export function fieldsOf(antenna: Antenna): PortFields {
  const { zoneId, searchMode, enabled, inventorySession, tagPopulation, transmitPowerCdbm } = antenna;
  const powerDbm = transmitPowerCdbm / CDBM;
  return { zoneId, searchMode, enabled, powerDbm, session: inventorySession, population: tagPopulation };
}

/** A port as the form shows it: what is saved, with what was edited over it. */
export const shownFields = (antenna: Antenna, draft: Draft): PortFields => ({
  ...fieldsOf(antenna),
  ...draft[antenna.port],
});

/** The draft after an edit; a field that is back at what is saved is no longer in it. Pure. */
export function edited(draft: Draft, antenna: Antenna, edit: Partial<PortFields>): Draft {
  const saved: Record<string, unknown> = { ...fieldsOf(antenna) };
  const merged = { ...draft[antenna.port], ...edit };
  const kept = Object.fromEntries(Object.entries(merged).filter(([key, value]) => saved[key] !== value));
  const { [antenna.port]: _, ...others } = draft;
  return Object.keys(kept).length > 0 ? { ...others, [antenna.port]: kept } : others;
}

export const isEdited = (draft: Draft): boolean => Object.keys(draft).length > 0;

/** Fields that are out of range or no numbers. Power goes in hundredths of a dBm, population in whole tags. Pure. */
export function faultsOf(antennas: readonly Antenna[], draft: Draft): readonly Fault[] {
  return antennas.flatMap((antenna) => {
    const { powerDbm, population } = shownFields(antenna, draft);
    const isWhole = Number.isInteger(population);
    const faults: Fault[] = [];
    if (!isIn(powerDbm, ranges.powerDbm)) faults.push({ port: antenna.port, field: 'powerDbm' });
    if (!isWhole || !isIn(population, ranges.population))
      faults.push({ port: antenna.port, field: 'population' });
    return faults;
  });
}

function isIn(value: number | string, { min, max }: { readonly min: number; readonly max: number }): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

/**
 * The body of PUT /readers/{id}/antennas: one object for each edited port, with the fields that were touched. `zoneId` is always
 * there, since the interface takes a missing one as unmapped. Pure; call it only without faults.
 */
export function changesOf(antennas: readonly Antenna[], draft: Draft): readonly PortChange[] {
  return antennas.flatMap((antenna) => {
    const edit = draft[antenna.port];
    if (!edit) return [];
    const { powerDbm, session, searchMode, population, enabled } = edit;
    return [
      {
        port: antenna.port,
        zoneId: shownFields(antenna, draft).zoneId,
        ...(typeof powerDbm === 'number' && { transmitPowerCdbm: Math.round(powerDbm * CDBM) }),
        ...(session !== undefined && { inventorySession: session }),
        ...(searchMode !== undefined && { searchMode }),
        ...(typeof population === 'number' && { tagPopulation: population }),
        ...(enabled !== undefined && { enabled }),
      },
    ];
  });
}
