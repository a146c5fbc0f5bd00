import { badRequest, done, found, type LocalAnswer, type LocalRoute, refused } from './local-answer.ts';
import {
  builtInPreset,
  isLocalPreset,
  type LocalPreset,
  presetFault,
  presetSchema,
} from './local-preset-schema.ts';
import { isObject } from './local-schema.ts';

/** The inventory that runs. `id` is null for a transient one, which a reboot ends. */
export interface RunningInventory {
  readonly id: string | null;
  readonly preset: LocalPreset;
}

/** What of the radio survives a reboot. */
export interface SavedRadio {
  readonly presets: readonly { readonly id: string; readonly preset: LocalPreset }[];
  /** The named preset that starts again by itself. */
  readonly running: string | null;
}

const PRESET_ID = /^[a-zA-Z0-9_.-]{1,128}$/;
const RESERVED_ID = /^(default|impinj)/;
const BUILT_IN = 'default';
/** Not the vendor's figure, which is not published: enough for every use, and a bound. */
const PRESETS_MAX = 100;

const notFound: LocalAnswer = refused(404, { message: 'Preset not found' });
const builtIn: LocalAnswer = refused(403, { message: 'Presets of the reader itself cannot be changed' });
const presetRuns: LocalAnswer = refused(409, { message: 'The preset is running' });
const busy: LocalAnswer = refused(409, { message: 'Another reader operation is running' });

/** Presets and the inventory that runs from them: settings by PUT while stopped, one inventory at a time. */
export class LocalRadio {
  readonly #presets: Map<string, LocalPreset>;
  readonly #onRadio: (running: RunningInventory | null) => void;
  #running: RunningInventory | null = null;
  #wanted: string | null;

  constructor(saved: SavedRadio, onRadio: (running: RunningInventory | null) => void) {
    this.#presets = new Map(saved.presets.map(({ id, preset }) => [id, preset]));
    this.#wanted = saved.running;
    this.#onRadio = onRadio;
  }

  get running(): RunningInventory | null {
    return this.#running;
  }

  saved(): SavedRadio {
    return {
      presets: Array.from(this.#presets, ([id, preset]) => ({ id, preset })),
      running: this.#wanted,
    };
  }

  /** Power comes: the named preset that ran starts again. */
  boot(): void {
    const preset = this.#wanted === null ? undefined : this.#find(this.#wanted);
    if (preset !== undefined) this.#turn({ id: this.#wanted, preset });
  }

  /** Power goes: whatever runs ends, and what is to start again stays as it is. */
  powerOff(): void {
    this.#turn(null);
  }

  /** POST /profiles/stop: always done, also when nothing runs. */
  stop(): LocalAnswer {
    this.#wanted = null;
    this.#turn(null);
    return done;
  }

  routes(): readonly LocalRoute[] {
    const one = /^\/profiles\/inventory\/presets\/([^/]+)$/;
    return [
      { method: 'GET', pattern: /^\/profiles$/, run: () => found(['inventory']) },
      { method: 'GET', pattern: /^\/profiles\/inventory\/presets$/, run: () => found(this.#ids()) },
      { method: 'GET', pattern: /^\/profiles\/inventory\/presets-schema$/, run: () => found(presetSchema) },
      { method: 'GET', pattern: one, run: (_, [id = '']) => this.#get(id) },
      { method: 'PUT', pattern: one, run: ({ body }, [id = '']) => this.#put(id, body) },
      { method: 'DELETE', pattern: one, run: (_, [id = '']) => this.#delete(id) },
      {
        method: 'POST',
        pattern: /^\/profiles\/inventory\/presets\/([^/]+)\/start$/,
        run: ({ body }, [id = '']) => this.#start(id, body),
      },
      {
        method: 'POST',
        pattern: /^\/profiles\/inventory\/start$/,
        run: ({ body }) => this.#startTransient(body),
      },
      { method: 'POST', pattern: /^\/profiles\/stop$/, run: () => this.stop() },
    ];
  }

  #ids(): readonly string[] {
    return [BUILT_IN, ...this.#presets.keys()];
  }

  #find(id: string): LocalPreset | undefined {
    return id === BUILT_IN ? builtInPreset : this.#presets.get(id);
  }

  #get(id: string): LocalAnswer {
    const preset = this.#find(id);
    return preset === undefined ? notFound : found(preset);
  }

  #put(id: string, body: unknown): LocalAnswer {
    if (!PRESET_ID.test(id))
      return badRequest({ path: 'presetId', reason: `must match ${PRESET_ID.source}` });
    if (RESERVED_ID.test(id)) return builtIn;
    const fault = presetFault(body);
    if (fault !== null) return badRequest(fault);
    if (!isLocalPreset(body)) return badRequest({ path: '', reason: 'is no preset' });
    if (this.#running?.id === id) return presetRuns;
    const known = this.#presets.has(id);
    if (!known && this.#presets.size >= PRESETS_MAX) {
      return badRequest({ path: 'presetId', reason: `is one too many: ${PRESETS_MAX} presets are kept` });
    }
    this.#presets.set(id, body);
    return known ? done : { status: 201 };
  }

  #delete(id: string): LocalAnswer {
    if (RESERVED_ID.test(id)) return builtIn;
    if (!this.#presets.has(id)) return notFound;
    if (this.#running?.id === id) return presetRuns;
    this.#presets.delete(id);
    return done;
  }

  #start(id: string, body: unknown): LocalAnswer {
    const preset = this.#find(id);
    if (preset === undefined) return notFound;
    const empty = body === undefined || (isObject(body) && Object.keys(body).length === 0);
    if (!empty) return badRequest({ path: '', reason: 'must be empty' });
    // Also when it is this very preset that runs.
    if (this.#running !== null) return busy;
    this.#wanted = id;
    this.#turn({ id, preset });
    return done;
  }

  #startTransient(body: unknown): LocalAnswer {
    const fault = presetFault(body);
    if (fault !== null) return badRequest(fault);
    if (!isLocalPreset(body)) return badRequest({ path: '', reason: 'is no preset' });
    if (this.#running !== null) return busy;
    this.#wanted = null;
    this.#turn({ id: null, preset: body });
    return done;
  }

  #turn(running: RunningInventory | null): void {
    if (this.#running === null && running === null) return;
    this.#running = running;
    this.#onRadio(running);
  }
}
