/** Every fixed limit of the interface and of its neighbours, in one place. Lengths are in characters unless the name says otherwise. */
export const limits = {
  epcMinDigits: 8,
  epcMaxDigits: 64,
  antennaPorts: 4,
  powerMinCdbm: 1000,
  powerMaxCdbm: 3300,
  inventorySessionMax: 3,
  tagPopulationMax: 32_768,
  nameMaxLength: 255,
  valueMaxLength: 10_000,
  searchMaxLength: 1000,
  tagsPerAnswer: 500,
  zoneInventoryPerAnswer: 1000,
  messageMaxBytes: 256 * 1024,
  jsonBodyMaxBytes: 1024 * 1024,
  badPayloadsKept: 20,
  badPayloadKeptBytes: 512,
} as const;
