import type { SearchMode } from '../domain/antenna.ts';

export { defaultPreset } from '../domain/command.ts';

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
