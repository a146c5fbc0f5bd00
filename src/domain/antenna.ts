/** Settings of one antenna port, in the units of the interface. */
export interface AntennaSettings {
  readonly zoneId: string | null;
  readonly role: 'coverage';
  readonly transmitPowerCdbm: number;
  readonly inventorySession: number;
  readonly searchMode: SearchMode;
  readonly tagPopulation: number;
  readonly enabled: boolean;
}

export const searchModes = ['dual-target', 'single-target', 'single-target-with-tagfocus'] as const;
export type SearchMode = (typeof searchModes)[number];

export const defaultAntenna: AntennaSettings = {
  zoneId: null,
  role: 'coverage',
  transmitPowerCdbm: 3000,
  inventorySession: 2,
  searchMode: 'dual-target',
  tagPopulation: 128,
  enabled: true,
};
