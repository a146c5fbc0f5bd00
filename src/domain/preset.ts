import type { AntennaSettings, SearchMode } from './antenna.ts';

/** One antenna of a preset, as a reader's local REST interface takes it. */
export interface PresetAntenna {
  /** 1 to 4. */
  readonly antennaPort: number;
  /** Hundredths of a dBm, a multiple of 25. */
  readonly transmitPowerCdbm: number;
  /** 0 to 3. */
  readonly inventorySession: number;
  readonly inventorySearchMode: SearchMode;
  /** 1 to 32768. */
  readonly estimatedTagPopulation: number;
  /** Depends on the region: left out by the service, filled in by the agent from the reader's own schema. */
  readonly rfMode?: number;
}

/** What `push-config` carries: the whole preset `svc-default`, but for what only the reader knows. */
export interface Preset {
  readonly eventConfig: PresetEvents;
  /** At least one. */
  readonly antennaConfigs: readonly PresetAntenna[];
}

type Switch = 'enabled' | 'disabled';

/** Which events a reader sends, and what they carry. */
export interface PresetEvents {
  readonly common: { readonly hostname: Switch };
  readonly tagInventory: Readonly<Record<string, Switch | TagReporting>>;
}

/** The reader's own de-duplication: a tag still in view is reported again after the interval, 0 = every read. */
export interface TagReporting {
  readonly reportingIntervalSeconds: number;
  readonly tagCacheSize: number;
  readonly antennaIdentifier: 'antennaPort' | 'antennaName';
  readonly tagIdentifier: 'epc' | 'tid';
}

/** Readers take powers in steps of this, hundredths of a dB. */
const POWER_STEP_CDB = 25;

/** The reader's own time of each read, its strength and its port; a tag in view is reported once a second per port. */
export const presetEvents: PresetEvents = {
  common: { hostname: 'enabled' },
  tagInventory: {
    epc: 'disabled',
    epcHex: 'enabled',
    tidHex: 'disabled',
    lastSeenTime: 'enabled',
    antennaPort: 'enabled',
    peakRssiCdbm: 'enabled',
    tagReporting: {
      reportingIntervalSeconds: 1,
      tagCacheSize: 4096,
      antennaIdentifier: 'antennaPort',
      tagIdentifier: 'epc',
    },
  },
};

/** The power a reader really sends with: rounded down to its step. Hundredths of a dBm. */
export function effectivePowerCdbm(transmitPowerCdbm: number): number {
  return Math.floor(transmitPowerCdbm / POWER_STEP_CDB) * POWER_STEP_CDB;
}

/**
 * The preset that a reader's antennas make, ports that are off left out; null when all are: no preset can say that, the radio
 * is to be stopped.
 */
export function presetOf(antennas: readonly (AntennaSettings & { readonly port: number })[]): Preset | null {
  const used = antennas.filter(({ enabled }) => enabled);
  if (used.length === 0) return null;
  const antennaConfigs = used
    .toSorted((a, b) => a.port - b.port)
    .map((antenna) => ({
      antennaPort: antenna.port,
      transmitPowerCdbm: effectivePowerCdbm(antenna.transmitPowerCdbm),
      inventorySession: antenna.inventorySession,
      inventorySearchMode: antenna.searchMode,
      estimatedTagPopulation: antenna.tagPopulation,
    }));
  return { eventConfig: presetEvents, antennaConfigs };
}
