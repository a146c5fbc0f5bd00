import { badRequest, done, found, type LocalAnswer, type LocalRoute } from './local-answer.ts';
import { radioRegion } from './local-preset-schema.ts';
import { isObject, type Schema, schemaFault } from './local-schema.ts';
import { hostnameOf } from './r700-event.ts';

/** System settings that survive a reboot. */
export interface SavedSystem {
  readonly rfidInterface: 'rest' | 'llrp';
  readonly capMode: 'Disabled' | 'Open' | 'Secure';
}

/** As a reader is delivered for this use. */
export const factorySystem: SavedSystem = { rfidInterface: 'rest', capMode: 'Open' };

export interface LocalSystemOptions {
  readonly serial: string;
  readonly model: string;
  /** Four parts. */
  readonly firmware: string;
  readonly saved: SavedSystem;
  /** Epoch ms. */
  readonly now: () => number;
  /** Epoch ms of the last start. */
  readonly bootedAt: () => number;
  /** °C. */
  readonly temperatureC: () => number;
  /** Called when the radio is handed to the other interface. */
  readonly onInterface: (rfidInterface: SavedSystem['rfidInterface']) => void;
  /** Called at `POST /system/reboot`. */
  readonly onReboot: () => void;
}

/** Power over Ethernet of class 4, as negotiated. */
const ALLOCATED_MILLIWATTS = 25_500;
const interfaceSchema = choice('rfidInterface', ['rest', 'llrp']);
const modeSchema = choice('mode', ['Disabled', 'Open', 'Secure']);

/** `/system/…`: what the reader is, how it fares, and the two settings that decide whether an agent can work. */
export class LocalSystem {
  readonly #options: LocalSystemOptions;
  #saved: SavedSystem;

  constructor(options: LocalSystemOptions) {
    this.#options = options;
    this.#saved = options.saved;
  }

  saved(): SavedSystem {
    return this.#saved;
  }

  routes(): readonly LocalRoute[] {
    const get = (path: string, answer: () => unknown): LocalRoute => ({
      method: 'GET',
      pattern: new RegExp(`^/system${path}$`),
      run: () => found(answer()),
    });
    return [
      get('', () => this.#product()),
      get('/image', () => this.#image()),
      get('/temperature', () => ({ systemTemperature: this.#options.temperatureC() })),
      get('/power', () => ({ powerSource: 'auto', allocatedPowerMilliwatts: ALLOCATED_MILLIWATTS })),
      get('/time', () => this.#time()),
      get('/hostname', () => ({ hostname: hostnameOf(this.#options.serial) })),
      get('/region', () => ({ operatingRegion: radioRegion, selectableRegions: [radioRegion] })),
      get('/rfid/interface', () => ({ rfidInterface: this.#saved.rfidInterface })),
      get('/cap/installation', () => ({ mode: this.#saved.capMode })),
      ...this.#changes(),
    ];
  }

  #changes(): readonly LocalRoute[] {
    return [
      { method: 'PUT', pattern: /^\/system\/rfid\/interface$/, run: ({ body }) => this.#setInterface(body) },
      { method: 'PUT', pattern: /^\/system\/cap\/installation$/, run: ({ body }) => this.#setMode(body) },
      {
        method: 'POST',
        pattern: /^\/system\/reboot$/,
        run: () => {
          this.#options.onReboot();
          return { status: 202 };
        },
      },
    ];
  }

  #product() {
    const { serial, model } = this.#options;
    return {
      productModel: model,
      manufacturer: 'Stand-in',
      productDescription: `${model} reader, simulated`,
      productSku: 'STAND-IN',
      productHla: '000-000-001',
      pcba: '000-000-002',
      serialNumber: serial,
    };
  }

  #image() {
    const { firmware } = this.#options;
    return {
      primaryFirmware: firmware,
      primaryCustomer: '',
      secondaryFirmware: firmware,
      secondaryCustomer: '',
      scmRevision: 'stand-in',
      buildDate: '2026-01-01T00:00:00Z',
      buildPlan: 'stand-in',
    };
  }

  #time() {
    const { now, bootedAt } = this.#options;
    const upTime = Math.max(0, Math.floor((now() - bootedAt()) / 1000));
    return { systemTime: new Date(now()).toISOString(), upTime };
  }

  #setInterface(body: unknown): LocalAnswer {
    const fault = schemaFault(interfaceSchema, body);
    if (fault !== null) return badRequest(fault);
    const rfidInterface = isObject(body) && body.rfidInterface === 'llrp' ? 'llrp' : 'rest';
    this.#saved = { ...this.#saved, rfidInterface };
    this.#options.onInterface(rfidInterface);
    return done;
  }

  #setMode(body: unknown): LocalAnswer {
    const fault = schemaFault(modeSchema, body);
    if (fault !== null) return badRequest(fault);
    const modes = ['Disabled', 'Secure'] as const;
    const capMode = modes.find((mode) => isObject(body) && body.mode === mode) ?? 'Open';
    this.#saved = { ...this.#saved, capMode };
    return done;
  }
}

function choice(name: string, values: readonly string[]): Schema {
  return {
    type: 'object',
    additionalProperties: false,
    required: [name],
    properties: { [name]: { type: 'string', enum: values } },
  };
}
