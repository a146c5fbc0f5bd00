import type { Antenna } from '../../../contract/antenna.ts';
import { type Draft, fieldsOf, type PortFields } from './antenna-draft.ts';

/** What was saved of each field of a draft when it was first touched. */
export type Origin = Draft;

/** A field that was edited here and that somebody else has saved differently since. */
export interface Clash {
  readonly port: number;
  readonly field: keyof PortFields;
}

const fields = [
  'enabled',
  'zoneId',
  'powerDbm',
  'population',
  'session',
  'searchMode',
] as const satisfies readonly (keyof PortFields)[];

/** The origin that goes with a draft after an edit of a port. Pure. */
export function originOf(origin: Origin, draft: Draft, antenna: Antenna): Origin {
  const touched = fields.filter((field) => draft[antenna.port]?.[field] !== undefined);
  return withPort(origin, antenna.port, pick({ ...fieldsOf(antenna), ...origin[antenna.port] }, touched));
}

/** Edited fields whose saved value is neither what it was when they were touched nor what they were edited to. Pure. */
export function clashesOf(antennas: readonly Antenna[], draft: Draft, origin: Origin): readonly Clash[] {
  return antennas.flatMap((antenna) => {
    const { port } = antenna;
    const [saved, mine, was] = [fieldsOf(antenna), draft[port] ?? {}, origin[port] ?? {}];
    return fields
      .filter((field) => mine[field] !== undefined && was[field] !== undefined)
      .filter((field) => saved[field] !== was[field] && saved[field] !== mine[field])
      .map((field) => ({ port, field }));
  });
}

/** The draft without the fields that clash: what somebody else saved shows through. Pure. */
export function withTheirs(draft: Draft, clashes: readonly Clash[]): Draft {
  return Object.entries(draft).reduce((kept, [key, edits]) => {
    const port = Number(key);
    const lost = clashes.filter((clash) => clash.port === port).map(({ field }) => field);
    const left = fields.filter((field) => edits?.[field] !== undefined && !lost.includes(field));
    return withPort(kept, port, pick(edits ?? {}, left));
  }, draft);
}

/** The origin once somebody has seen what others saved, and keeps the own edits: nothing clashes any more. Pure. */
export function withMine(origin: Origin, clashes: readonly Clash[], antennas: readonly Antenna[]): Origin {
  return antennas.reduce((known, antenna) => {
    const seen = clashes.filter(({ port }) => port === antenna.port).map(({ field }) => field);
    return withPort(known, antenna.port, { ...known[antenna.port], ...pick(fieldsOf(antenna), seen) });
  }, origin);
}

function pick(from: Partial<PortFields>, wanted: readonly (keyof PortFields)[]): Partial<PortFields> {
  return Object.fromEntries(wanted.map((field) => [field, from[field]]));
}

function withPort(draft: Draft, port: number, edits: Partial<PortFields>): Draft {
  const { [port]: _, ...others } = draft;
  return Object.keys(edits).length > 0 ? { ...others, [port]: edits } : others;
}
