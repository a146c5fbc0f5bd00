import { isObject, type Schema, type SchemaFault, schemaFault } from './local-schema.ts';

/** The radio's region, and the power it and a PoE+ supply allow: 31.5 dBm. */
export const radioRegion = 'ETSI EN 302 208 v3.1.1 upper band';
const POWER_MAX_CDBM = 3150;
const PORTS = 4;
/** Interrogator modes of this region; the first is the one that chooses by itself. */
const RF_MODES = [1002, 1003, 1004, 4, 120, 141, 148, 185, 223, 241, 244, 285, 302, 323, 344, 382];
const SWITCH: Schema = { type: 'string', enum: ['enabled', 'disabled'] };

const reportedProperties = [
  ...['epc', 'epcHex', 'xpcHex', 'tid', 'tidHex', 'pc', 'antennaPort', 'antennaName', 'peakRssiCdbm'],
  ...['frequency', 'transmitPowerCdbm', 'lastSeenTime', 'phaseAngle'],
];

const tagReporting: Schema = closed({
  reportingIntervalSeconds: { type: 'integer', minimum: 0, maximum: 600, default: 0 },
  tagCacheSize: { type: 'integer', minimum: 1024, maximum: 8192, default: 2048 },
  antennaIdentifier: { type: 'string', enum: ['antennaPort', 'antennaName'] },
  tagIdentifier: { type: 'string', enum: ['epc', 'tid'] },
});

const eventConfig: Schema = closed({
  common: closed({ hostname: SWITCH }),
  tagInventory: closed({
    ...Object.fromEntries(reportedProperties.map((name) => [name, SWITCH])),
    tagReporting,
  }),
  antennaActivationEventDelivery: SWITCH,
});

const filter: Schema = closed({
  action: { type: 'string', enum: ['include', 'exclude'] },
  tagMemoryBank: { type: 'string', enum: ['epc', 'tid', 'user'] },
  bitOffset: { type: 'integer', minimum: 0, maximum: 65_535 },
  mask: { type: 'string', pattern: '^[0-9A-Fa-f]*$', maxLength: 128 },
  maskLength: { type: 'integer', minimum: 0, maximum: 512 },
});

const memoryRead: Schema = closed(
  {
    memoryBank: { type: 'string', enum: ['reserved', 'epc', 'tid', 'user'] },
    wordOffset: { type: 'integer', minimum: 0, maximum: 65_535 },
    wordCount: { type: 'integer', minimum: 1, maximum: 255 },
  },
  ['memoryBank', 'wordOffset', 'wordCount'],
);

const antennaConfig: Schema = closed(
  {
    antennaPort: { type: 'integer', minimum: 1, maximum: PORTS },
    antennaName: { type: 'string', pattern: '^[a-zA-Z0-9_.-]+$', maxLength: 64 },
    transmitPowerCdbm: { type: 'integer', minimum: 1000, maximum: POWER_MAX_CDBM, multipleOf: 25 },
    rfMode: { type: 'integer', enum: RF_MODES },
    inventorySession: { type: 'integer', minimum: 0, maximum: 3 },
    inventorySearchMode: {
      type: 'string',
      enum: [
        ...['single-target', 'dual-target', 'single-target-with-tagfocus'],
        ...['single-target-b-to-a', 'dual-target-with-b-to-a-select'],
      ],
    },
    estimatedTagPopulation: { type: 'integer', minimum: 1, maximum: 32_768 },
    filtering: closed({
      filters: { type: 'array', minItems: 1, maxItems: 2, items: filter },
      filterLink: { type: 'string', enum: ['union', 'intersection'] },
      filterVerification: { type: 'string', enum: ['disabled', 'active'] },
    }),
    powerSweeping: closed({
      minimumPowerCdbm: { type: 'integer', minimum: 1000, maximum: POWER_MAX_CDBM, multipleOf: 25 },
      stepSizeCdb: { type: 'integer', minimum: 25, multipleOf: 25 },
    }),
    fastId: SWITCH,
    receiveSensitivityDbm: { type: 'integer', minimum: -80, maximum: -30 },
    protectedModePinHex: { type: 'string', pattern: '^[0-9A-Fa-f]{8}$' },
    tagMemoryReads: { type: 'array', minItems: 1, maxItems: 4, items: memoryRead },
    tagAuthentication: { type: 'object' },
  },
  [
    ...['antennaPort', 'transmitPowerCdbm', 'rfMode', 'inventorySession', 'inventorySearchMode'],
    'estimatedTagPopulation',
  ],
);

/** What `GET …/presets-schema` answers, and what `PUT` holds presets to: of one model in one region. */
export const presetSchema: Schema = closed(
  {
    eventConfig,
    antennaConfigs: { type: 'array', minItems: 1, maxItems: 255, items: antennaConfig },
    channelFrequenciesKHz: {
      type: 'array',
      maxItems: 64,
      items: { type: 'integer', minimum: 860_000, maximum: 960_000 },
    },
    startTriggers: { type: 'array', maxItems: 8, items: { type: 'object' } },
    stopTriggers: { type: 'array', maxItems: 8, items: { type: 'object' } },
  },
  ['antennaConfigs'],
);

/** A preset as the reader keeps it: what was sent, checked against the schema. */
export interface LocalPreset {
  readonly eventConfig?: {
    readonly common?: { readonly hostname?: string };
    readonly tagInventory?: Readonly<Record<string, unknown>>;
  };
  readonly antennaConfigs: readonly LocalAntenna[];
}

interface LocalAntenna {
  readonly antennaPort: number;
  readonly transmitPowerCdbm: number;
  readonly rfMode: number;
}

/** Why a parsed JSON value is no preset of this reader, or null. No port may be set twice. Pure. */
export function presetFault(value: unknown): SchemaFault | null {
  const fault = schemaFault(presetSchema, value);
  if (fault !== null || !isLocalPreset(value)) return fault;
  const ports = value.antennaConfigs.map(({ antennaPort }) => antennaPort);
  const at = ports.findIndex((port, index) => ports.indexOf(port) !== index);
  return at < 0 ? null : { path: `antennaConfigs[${at}].antennaPort`, reason: 'is set twice' };
}

/** Whether the schema takes it; repeated ports are `presetFault`'s. */
export function isLocalPreset(value: unknown): value is LocalPreset {
  return isObject(value) && schemaFault(presetSchema, value) === null;
}

/** The preset a reader comes with: every port at full power. */
export const builtInPreset: LocalPreset = {
  antennaConfigs: Array.from({ length: PORTS }, (_, index) => ({
    antennaPort: index + 1,
    transmitPowerCdbm: 3000,
    rfMode: 1002,
    inventorySession: 2,
    inventorySearchMode: 'dual-target',
    estimatedTagPopulation: 128,
  })),
};

function closed(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  const demands = required.length === 0 ? {} : { required };
  return { type: 'object', additionalProperties: false, properties, ...demands };
}
