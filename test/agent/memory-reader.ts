import type { LocalAnswer, LocalReader as ReaderCalls } from '../../src/agent/local-reader.ts';
import { LocalReader, type LocalState } from '../../src/simulator/local-reader.ts';

const BASE = '/api/v1';
const PRESETS = '/profiles/inventory/presets';

/** The stand-in's state machine behind the agent's calls, without sockets; calls can be made to fail. */
export class MemoryReader implements ReaderCalls {
  reader: LocalReader;
  /** What was called: `POST /profiles/stop`. */
  readonly calls: string[] = [];
  /** Decides about each call: undefined lets it through. `lost`: it takes effect, but the answer is lost. */
  fate: (call: string) => LocalAnswer | 'lost' | undefined = () => undefined;
  /** Waited for before each call. */
  pause: () => Promise<void> = async () => {};

  constructor(state?: LocalState) {
    this.reader = this.#boot(state);
  }

  get running(): string | null {
    return this.reader.running?.id ?? null;
  }

  powerCycle(): void {
    this.reader.powerOff();
    this.reader = this.#boot(this.reader.state());
  }

  has(preset: string): unknown {
    return this.reader.handle({ method: 'GET', path: `${BASE}${PRESETS}/${preset}` }).body;
  }

  status = () => this.#call('GET', '/status');
  start = (preset: string) => this.#call('POST', `${PRESETS}/${preset}/start`);
  stop = () => this.#call('POST', '/profiles/stop');
  schema = () => this.#call('GET', `${PRESETS}-schema`);
  preset = (id: string) => this.#call('GET', `${PRESETS}/${id}`);
  putPreset = (id: string, preset: object) => this.#call('PUT', `${PRESETS}/${id}`, preset);

  async #call(method: string, path: string, body?: object): Promise<LocalAnswer> {
    await this.pause();
    const call = `${method} ${path}`;
    this.calls.push(call);
    const fate = this.fate(call);
    if (fate !== undefined && fate !== 'lost') return fate;
    const sent = body === undefined ? {} : { body: JSON.parse(JSON.stringify(body)) };
    const { status, body: answered } = this.reader.handle({ method, path: `${BASE}${path}`, ...sent });
    if (fate === 'lost') return { kind: 'away', reason: 'the connection broke off' };
    return { kind: 'answer', status, body: JSON.parse(JSON.stringify(answered ?? null)) };
  }

  #boot(state?: LocalState): LocalReader {
    const reader = new LocalReader({ serial: '370-10-15-0036', now: () => 0, ...(state ? { state } : {}) });
    reader.boot();
    return reader;
  }
}

export const away: LocalAnswer = { kind: 'away', reason: 'nobody listens there' };

export function answered(status: number, body: unknown = null): LocalAnswer {
  return { kind: 'answer', status, body };
}
