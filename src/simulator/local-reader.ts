import {
  found,
  type LocalAnswer,
  type LocalRequest,
  type LocalRoute,
  refused,
  unknownPath,
} from './local-answer.ts';
import { LocalCertificates, noCertificates, type SavedCertificates } from './local-certificates.ts';
import { factoryMqtt, LocalMqtt } from './local-mqtt.ts';
import { LocalRadio, type RunningInventory, type SavedRadio } from './local-radio.ts';
import { factorySystem, LocalSystem, type SavedSystem } from './local-system.ts';

export type { LocalAnswer, LocalRequest } from './local-answer.ts';
export type { RunningInventory } from './local-radio.ts';

/** What survives a power cut, as plain JSON. */
export interface LocalState extends SavedRadio {
  readonly version: 1;
  readonly mqtt: Readonly<Record<string, unknown>>;
  readonly certificates: SavedCertificates;
  readonly system: SavedSystem;
}

export interface LocalReaderOptions {
  readonly serial: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** Settings as they were when the power went; factory settings when absent. */
  readonly state?: LocalState;
  /** `R700` when absent. */
  readonly model?: string;
  /** Four parts; `10.0.0.240` when absent. */
  readonly firmware?: string;
  /** °C; 42 when absent. */
  readonly temperatureC?: () => number;
  /** Whether the reader's own MQTT client has a connection; never when absent. */
  readonly mqttConnected?: () => boolean;
  /** The inventory that runs now, null when none does; called at every change, also at power on and off. */
  readonly onRadio?: (running: RunningInventory | null) => void;
  /** Somebody asked for a reboot; whoever holds the reader calls `powerOff` and `boot`. */
  readonly onReboot?: () => void;
}

const BASE = '/api/v1';

/**
 * A reader's local REST interface as a state machine: no sockets, no files, no timers. It answers every call as the vendor
 * documents it and as clients met it on hardware: 404 for a wrong verb, 409 for a start while anything runs (also the same
 * preset), presets changed only while stopped. A new reader is off: `boot` turns it on. It has no firmware upgrade, no GPIO, no
 * Kafka, no webhook and no `GET /profiles/inventory/tag`: those are 404.
 */
export class LocalReader {
  readonly #options: LocalReaderOptions;
  readonly #radio: LocalRadio;
  readonly #mqtt: LocalMqtt;
  readonly #certificates: LocalCertificates;
  readonly #system: LocalSystem;
  readonly #routes: readonly LocalRoute[];
  #bootedAt: number;

  constructor(options: LocalReaderOptions) {
    const { state = factoryState, onRadio = () => {} } = options;
    this.#options = options;
    this.#bootedAt = options.now();
    this.#radio = new LocalRadio(state, onRadio);
    this.#mqtt = new LocalMqtt(state.mqtt);
    this.#certificates = new LocalCertificates(state.certificates);
    this.#system = this.#createSystem(state.system);
    this.#routes = [
      { method: 'GET', pattern: /^\/status$/, run: () => found(this.#status()) },
      ...this.#radio.routes(),
      ...this.#mqtt.routes(),
      ...this.#certificates.routes(),
      ...this.#system.routes(),
    ];
  }

  /** The inventory that runs now. */
  get running(): RunningInventory | null {
    return this.#radio.running;
  }

  /** Answers one call at once. Never throws; what it does not know is 404. */
  handle(request: LocalRequest): LocalAnswer {
    if (!request.path.startsWith(`${BASE}/`)) return unknownPath;
    const path = request.path.slice(BASE.length);
    for (const route of this.#routes) {
      if (route.method !== request.method) continue;
      const params = route.pattern.exec(path)?.slice(1).map(decoded);
      if (params === undefined || !allPresent(params)) continue;
      return this.#isLocked(path) ? llrp : route.run(request, params);
    }
    return unknownPath;
  }

  /** What the next reader would be made from. */
  state(): LocalState {
    return {
      version: 1,
      ...this.#radio.saved(),
      mqtt: this.#mqtt.saved(),
      certificates: this.#certificates.saved(),
      system: this.#system.saved(),
    };
  }

  /** Power on: the named preset that ran starts by itself. */
  boot(): void {
    this.#bootedAt = this.#options.now();
    if (this.#system.saved().rfidInterface === 'rest') this.#radio.boot();
  }

  /** Power off: the radio ends, settings stay. */
  powerOff(): void {
    this.#radio.powerOff();
  }

  #createSystem(saved: SavedSystem): LocalSystem {
    const { serial, now, model = 'R700', firmware = '10.0.0.240' } = this.#options;
    return new LocalSystem({
      serial,
      model,
      firmware,
      saved,
      now,
      bootedAt: () => this.#bootedAt,
      temperatureC: this.#options.temperatureC ?? (() => 42),
      onInterface: (rfidInterface) => {
        if (rfidInterface === 'llrp') this.#radio.stop();
      },
      onReboot: () => this.#options.onReboot?.(),
    });
  }

  #isLocked(path: string): boolean {
    return path.startsWith('/profiles') && this.#system.saved().rfidInterface === 'llrp';
  }

  #status() {
    const { serial, now, mqttConnected = () => false } = this.#options;
    const running = this.#radio.running;
    const id = running?.id ? { id: running.id } : {};
    return {
      status: running === null ? 'idle' : 'running',
      time: new Date(now()).toISOString(),
      serialNumber: serial,
      mqttBrokerConnectionStatus: mqttConnected() ? 'connected' : 'disconnected',
      mqttTlsAuthentication: this.#mqtt.saved().tlsEnabled === true ? 'server' : 'none',
      kafkaClusterConnectionStatus: 'disconnected',
      interface: 'IoT',
      ...(running === null ? {} : { activePreset: { ...id, profile: 'inventory' } }),
    };
  }
}

/** The vendor's text for this is not known; that profiles need the REST interface is. */
const llrp: LocalAnswer = refused(400, { message: 'The RFID interface is set to LLRP' });

const factoryState: LocalState = {
  version: 1,
  presets: [],
  running: null,
  mqtt: factoryMqtt,
  certificates: noCertificates,
  system: factorySystem,
};

function decoded(param: string): string | null {
  try {
    return decodeURIComponent(param);
  } catch {
    return null;
  }
}

function allPresent(params: readonly (string | null)[]): params is readonly string[] {
  return params.every((param) => param !== null);
}
