import type { Identity } from '../device/identity.ts';
import { type LocalInterface, type LocalInterfaceOptions, startLocalInterface } from './local-interface.ts';
import {
  type EnvelopeShape,
  type EventShape,
  hostnameOf,
  inventoryStatusEvent,
  type TimedRead,
} from './r700-event.ts';
import { antennaEvents, StandInRadio } from './stand-in-radio.ts';
import { startVirtualReader, type VirtualReader } from './virtual-reader.ts';

/** A reader of a simulation: one that only reads, or, with `local`, one that can be started, stopped and set up. */
export interface SimulatedReader {
  readonly serial: string;
  readonly identity: Identity;
  /** Ports with an antenna, of 1 to 4; all four when absent. */
  readonly ports?: readonly number[];
  readonly local?: LocalSettings;
}

/** The local REST interface of a simulated reader. Its radio is off until somebody starts it. */
export interface LocalSettings
  extends Omit<LocalInterfaceOptions, 'serial' | 'onRadio' | 'onPower' | 'now' | 'log' | 'mqttConnected'> {
  /** False: the reader's own client publishes nothing, its events are on the data stream alone; true when absent. */
  readonly nativeMqtt?: boolean;
}

export interface PlayOptions {
  /** `mqtts://host:port`. */
  readonly url: string;
  readonly format?: EventShape['format'];
  readonly qos?: 0 | 1;
  readonly bufferSize?: number;
  /** Epoch ms. */
  readonly now: () => number;
  readonly log?: (line: string) => void;
}

/** A reader in its warehouse. */
export interface PlayedReader {
  readonly serial: string;
  /** Its own MQTT client. */
  readonly link: Pick<VirtualReader, 'connected' | 'stats' | 'goOffline' | 'goOnline'>;
  /** Its local interface, for one that has it. */
  readonly local: LocalInterface | null;
  /** What an antenna received. False: the radio is off, the port is not used, or the tag was reported just now. */
  read(read: TimedRead): boolean;
  /** Ends the inventory, sends what is waiting for at most `drainMs` (3000), and leaves. */
  stop(drainMs?: number): Promise<void>;
}

const ALL_PORTS = [1, 2, 3, 4];

/** Starts a reader. Rejects with one line when an option is wrong or its local interface cannot be had. */
export async function playReader(reader: SimulatedReader, options: PlayOptions): Promise<PlayedReader> {
  const { local } = reader;
  return local === undefined ? playPlain(reader, options) : playStandIn(reader, local, options);
}

/** Reads from the beginning to the end, whatever anybody wants. */
function playPlain(reader: SimulatedReader, options: PlayOptions): PlayedReader {
  const { serial, ports = ALL_PORTS } = reader;
  const { format = 'minimal', now } = options;
  const shape: EnvelopeShape = format === 'full' ? { hostname: hostnameOf(serial) } : {};
  const native = startNative(reader, options, shape);
  for (const event of antennaEvents(ports, now(), shape)) native.publishEvent(event);
  native.publishEvent(inventoryStatusEvent('running', now(), shape));
  return {
    serial,
    link: native,
    local: null,
    read: (read) => {
      native.publish(read);
      return true;
    },
    stop: (drainMs) => {
      native.publishEvent(inventoryStatusEvent('idle', now(), shape));
      return native.stop(drainMs);
    },
  };
}

/** Does what its local interface is told; the events go out by its own client and on the data stream alike. */
async function playStandIn(
  reader: SimulatedReader,
  settings: LocalSettings,
  options: PlayOptions,
): Promise<PlayedReader> {
  const { serial, ports = ALL_PORTS } = reader;
  const { now, log = () => {} } = options;
  const { nativeMqtt = true, ...own } = settings;
  const native = nativeMqtt ? startNative(reader, options, {}) : silent;
  const radio = new StandInRadio({ serial, ports, now, format: options.format, emit });
  let local: LocalInterface | undefined;
  function emit(event: string): void {
    native.publishEvent(event);
    local?.pushEvent(event);
  }
  try {
    local = await startLocalInterface({
      ...own,
      serial,
      now,
      log,
      mqttConnected: () => native.connected,
      onRadio: (running) => radio.turn(running),
      onPower: (power) => {
        if (power === 'down') native.goOffline();
        else native.goOnline();
        radio.power(power);
      },
    });
  } catch (error) {
    await native.stop(0);
    throw error;
  }
  return standIn(serial, { native, local, radio });
}

function standIn(
  serial: string,
  { native, local, radio }: { native: VirtualReader; local: LocalInterface; radio: StandInRadio },
): PlayedReader {
  return {
    serial,
    link: native,
    local,
    read: (read) => radio.read(read),
    stop: async (drainMs) => {
      radio.end();
      await native.stop(drainMs);
      await local.stop();
    },
  };
}

function startNative(reader: SimulatedReader, options: PlayOptions, shape: EnvelopeShape): VirtualReader {
  const { serial, identity } = reader;
  const { url, format = 'minimal', qos = 1, bufferSize = 100_000, now, log = () => {} } = options;
  return startVirtualReader({ serial, url, identity, format, qos, bufferSize, shape, now, log });
}

/** The client of a reader that has none. */
const silent: VirtualReader = {
  connected: false,
  stats: { sent: 0, acknowledged: 0, inFlight: 0, buffered: 0, purged: 0 },
  publish: () => {},
  publishEvent: () => {},
  goOffline: () => {},
  goOnline: () => {},
  stop: async () => {},
};
