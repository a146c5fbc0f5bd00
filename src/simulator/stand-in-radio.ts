import type { RunningInventory } from './local-interface.ts';
import { LocalReports, shapeOf } from './local-reports.ts';
import {
  antennaEvent,
  type EnvelopeShape,
  type EventShape,
  inventoryStatusEvent,
  type TimedRead,
  tagInventoryEvent,
} from './r700-event.ts';

export interface StandInRadioOptions {
  readonly serial: string;
  readonly ports: readonly number[];
  readonly now: () => number;
  /** What the preset asks for when absent. */
  readonly format: EventShape['format'] | undefined;
  readonly emit: (event: string) => void;
}

/** Turns what antennas receive into events, as far as the running preset wants them. */
export class StandInRadio {
  readonly #options: StandInRadioOptions;
  #on: { readonly reports: LocalReports; readonly shape: EventShape } | null = null;
  #powered = false;

  constructor(options: StandInRadioOptions) {
    this.#options = options;
  }

  /** A reader without power says nothing any more; at its start it tells its antennas. */
  power(power: 'down' | 'up'): void {
    this.#powered = power === 'up';
    const { ports, now, emit } = this.#options;
    if (this.#powered) for (const event of antennaEvents(ports, now(), {})) emit(event);
  }

  turn(running: RunningInventory | null): void {
    const { serial, format, now, emit } = this.#options;
    const before = this.#on;
    this.#on = null;
    if (running !== null) {
      const shape = shapeOf(running.preset, serial);
      this.#on = {
        reports: new LocalReports(running.preset),
        shape: { ...shape, format: format ?? shape.format },
      };
    }
    const { shape = {} } = this.#on ?? before ?? {};
    if (this.#powered) emit(inventoryStatusEvent(running === null ? 'idle' : 'running', now(), shape));
  }

  read(read: TimedRead): boolean {
    const transmitPowerCdbm = this.#on?.reports.powerOf(read.port) ?? null;
    if (this.#on === null || transmitPowerCdbm === null) return false;
    const { reports, shape } = this.#on;
    if (!reports.isDue(read.epcHex, read.port, read.tickAt + read.offsetMs)) return false;
    this.#options.emit(tagInventoryEvent({ ...read, transmitPowerCdbm }, shape));
    return true;
  }

  /** The last word of a reader that is taken out of service while it runs. */
  end(): void {
    if (this.#on !== null) this.turn(null);
  }
}

/** What a reader says of its antennas when power comes. `at` in epoch ms. */
export function antennaEvents(ports: readonly number[], at: number, shape: EnvelopeShape): readonly string[] {
  return ports.map((port) => antennaEvent({ port, connected: true }, at, shape));
}
