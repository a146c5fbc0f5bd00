import type { Identity } from '../device/identity.ts';
import type { LocalInterface } from './local-interface.ts';
import {
  type LocalSettings,
  type Simulation,
  type SimulationOptions,
  startSimulation,
} from './simulation.ts';

export interface StandInOptions extends LocalSettings {
  readonly serial: string;
  readonly identity: Identity;
  /** `mqtts://host:port`; unused with `nativeMqtt: false`. */
  readonly url: string;
  /** Ports with an antenna; all four when absent. */
  readonly ports?: readonly number[];
  /** 20 when absent. */
  readonly tags?: number;
  /** What the antennas receive per second with every port on, before the reader's own de-duplication; 20 when absent. */
  readonly readsPerSecond?: number;
  /** 1 when absent: readers of one seed see the same tags. */
  readonly seed?: number;
  /** Mean stay of a tag at an antenna; 30 when absent. */
  readonly dwellSeconds?: number;
  readonly format?: SimulationOptions['format'];
  /** Epoch ms; `Date.now` when absent. */
  readonly now?: () => number;
  readonly log?: (line: string) => void;
}

/** A whole reader of its own: its radio obeys its local interface, and reads a small warehouse while it is on. */
export interface StandInReader extends Pick<Simulation, 'stop' | 'stats' | 'done'> {
  readonly local: LocalInterface;
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  readonly port: number;
}

/**
 * Starts a stand-in reader: its local REST interface, and its own MQTT client, which publishes tag reads only while the radio
 * is on and only of the ports of the running preset. Events go to the data stream alike. Rejects with one line.
 */
export async function startStandInReader(options: StandInOptions): Promise<StandInReader> {
  const { serial, identity, ports, url, format, now = Date.now, log, ...settings } = options;
  const { tags = 20, readsPerSecond = 20, seed = 1, dwellSeconds = 30, ...local } = settings;
  const reader = { serial, identity, local, ...(ports ? { ports } : {}) };
  const simulation = await startSimulation({
    readers: [reader],
    ...{ url, tags, readsPerSecond, seed, dwellSeconds, now },
    ...(format ? { format } : {}),
    ...(log ? { log } : {}),
  });
  const started = simulation.locals.get(serial);
  if (started === undefined) throw new Error(`reader ${serial} has no local interface`);
  const { stop, stats, done } = simulation;
  return { stop, stats, done, local: started, url: started.url, port: started.port };
}
