import { isDeepStrictEqual } from 'node:util';
import { effectivePowerCdbm, type Preset, presetEvents } from '../contract/preset.ts';
import { membersOf } from './local-reader.ts';

/** A preset as it goes to the reader: nothing is left for others to fill in. */
export type WholePreset = Preset & { readonly antennaConfigs: readonly { readonly rfMode?: number }[] };

/** What the reader's own schema allows. */
export interface ReaderAbilities {
  readonly rfMode: number;
  /** Highest power, hundredths of a dBm, a multiple of 25. */
  readonly powerMaxCdbm: number;
  readonly antennaPorts: number;
}

/** Interface, rule 5 of the command channel: maximum power 31.5 dBm. */
const DEFAULT_POWER_CDBM = 3150;
const PORTS = 4;
/** Modes in which the reader finds its settings itself, the calmest first; allowed in every region known. */
const AUTO_MODES = [1002, 1003, 1004];
const FALLBACK_MODE = 1002;
const SCHEMA_MAX_DEPTH = 12;

/**
 * Reads the presets schema, whose layout differs from firmware to firmware: the members are searched by their name. What it
 * does not say is taken from what every reader takes.
 */
export function abilitiesOf(schema: unknown): ReaderAbilities {
  // Members of the same names tell elsewhere in the schema which figures an event carries.
  const antenna = findMember(schema, 'antennaConfigs') ?? schema;
  const power = membersOf(findMember(antenna, 'transmitPowerCdbm')).maximum;
  const ports = membersOf(findMember(antenna, 'antennaPort')).maximum;
  const powerMax = typeof power === 'number' && power >= 1000 ? power : DEFAULT_POWER_CDBM;
  return {
    rfMode: rfModeOf(findMember(antenna, 'rfMode')),
    powerMaxCdbm: effectivePowerCdbm(powerMax),
    antennaPorts: typeof ports === 'number' && ports >= 1 ? Math.min(Math.floor(ports), PORTS) : PORTS,
  };
}

/** The preset with an `rfMode` at every antenna; one that is there stays. */
export function withRfMode(preset: Preset, rfMode: number): WholePreset {
  return { ...preset, antennaConfigs: preset.antennaConfigs.map((antenna) => ({ rfMode, ...antenna })) };
}

/**
 * What `svc-default` is before the service has sent settings (interface, rule 5): all antennas, 31.5 dBm or what the reader
 * can do at most, session 2, no filter.
 */
export function defaultSettings(abilities: ReaderAbilities): Preset {
  const transmitPowerCdbm = Math.min(DEFAULT_POWER_CDBM, abilities.powerMaxCdbm);
  return {
    eventConfig: presetEvents,
    antennaConfigs: Array.from({ length: abilities.antennaPorts }, (_, at) => ({
      antennaPort: at + 1,
      transmitPowerCdbm,
      inventorySession: 2,
      inventorySearchMode: 'dual-target',
      estimatedTagPopulation: 128,
    })),
  };
}

/** Whether the reader already has exactly this preset; the order of members says nothing. */
export function isSamePreset(ours: object, readers: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(ours)), readers);
}

function rfModeOf(schema: unknown): number {
  const { enum: listed, oneOf, anyOf, default: usual } = membersOf(schema);
  const allowed = [...numbersOf(listed), ...constantsOf(oneOf), ...constantsOf(anyOf)];
  const auto = AUTO_MODES.find((mode) => allowed.includes(mode));
  return auto ?? numbersOf([usual])[0] ?? allowed[0] ?? FALLBACK_MODE;
}

function constantsOf(choices: unknown): readonly number[] {
  if (!Array.isArray(choices)) return [];
  return choices.flatMap((choice) => {
    const { const: one, enum: several } = membersOf(choice);
    return [...numbersOf([one]), ...numbersOf(several)];
  });
}

function numbersOf(list: unknown): readonly number[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'number') : [];
}

/** The schema of the member `name`, wherever it is described first. */
function findMember(schema: unknown, name: string, depth = 0): unknown {
  if (depth > SCHEMA_MAX_DEPTH || typeof schema !== 'object' || schema === null) return undefined;
  const described = Object.getOwnPropertyDescriptor(schema, name)?.value;
  if (Object.keys(membersOf(described)).length > 0) return described;
  for (const inner of Object.values(schema)) {
    const found = findMember(inner, name, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
