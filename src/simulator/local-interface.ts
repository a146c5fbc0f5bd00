import { createServer, type Server } from 'node:https';
import { LocalDesk, type LocalView } from './local-desk.ts';
import { FaultDealer, faultsFault, type LocalFaults } from './local-faults.ts';
import { LocalFiles } from './local-files.ts';
import { LocalPower, type LocalPowerOptions, type RebootOptions } from './local-power.ts';
import { LocalReader, type LocalReaderOptions, type RunningInventory } from './local-reader.ts';
import { LocalStream } from './local-stream.ts';

export type { LocalView } from './local-desk.ts';
export type { LocalFaults } from './local-faults.ts';
export type { RebootOptions } from './local-power.ts';
export type { RunningInventory } from './local-reader.ts';

export interface LocalInterfaceOptions
  extends Pick<LocalReaderOptions, 'model' | 'firmware' | 'temperatureC' | 'mqttConnected'> {
  /** The reader's flash: made when missing, read at the start, written at every change. One stand-in at a time. */
  readonly dir: string;
  readonly serial: string;
  readonly user: string;
  readonly password: string;
  /** PEM; self-signed, as a reader's is. */
  readonly tls: { readonly cert: string; readonly key: string };
  /** `127.0.0.1` when absent. */
  readonly host?: string;
  /** Any free one when absent or 0; a reboot keeps it. */
  readonly port?: number;
  /** Called at every change of the radio, power on and off included. */
  readonly onRadio?: (running: RunningInventory | null) => void;
  /** Called when power goes and comes, before the radio does; the first start included. */
  readonly onPower?: (power: 'down' | 'up') => void;
  /** How long a reboot takes when nobody says otherwise; 200 when absent. */
  readonly rebootMs?: number;
  /** Events kept for a slow consumer of the stream; 1000 when absent. */
  readonly streamBufferSize?: number;
  /** Between the stream's blank lines; 30,000 when absent, as on the reader. */
  readonly keepAliveMs?: number;
  /** Takes one line without a line end. */
  readonly log?: (line: string) => void;
  /** Epoch ms; `Date.now` when absent. */
  readonly now?: () => number;
}

/** A reader's local REST interface on a real HTTPS socket. */
export interface LocalInterface {
  /** `https://127.0.0.1:port`, without a path. */
  readonly url: string;
  readonly port: number;
  /** The state machine behind it; another one after a reboot. */
  readonly reader: LocalReader;
  /** Replaces the faults on demand; `{}` ends them. Throws one line when they are none. */
  setFaults(faults: LocalFaults): void;
  /** Cuts every connection, is away for a while, and comes back with the saved settings; resolves then. */
  reboot(options?: RebootOptions): Promise<void>;
  /** Sends an event (one line of JSON without its end) to everybody on the data stream. */
  pushEvent(line: string): void;
  /** What `GET /stand-in` tells. */
  view(): LocalView;
  /** Power off. A new one on the same folder has the same settings. */
  stop(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than an agent's pause between two looks at the reader, so that no call meets a connection that is just going. */
const KEEP_ALIVE_MS = 75_000;
const CONNECTIONS_MAX = 64;

/**
 * Starts a stand-in for a reader's local REST interface: HTTPS and HTTP Basic, `/api/v1` as the reader has it, settings that
 * survive a reboot and a kill (a change is on disk before it is answered), the event stream. Two things a reader does not have:
 * `PUT /api/v1/system/cap/files/rw_dir/{ca.crt|client.crt|client.key|svc.json}` writes an identity file as a bench does (the
 * vendor publishes no such call; whoever pushes has its path as a setting), and `/stand-in` beside it takes orders from tests:
 * `GET` the view, `PUT /stand-in/faults`, `POST /stand-in/reboot`. Rejects when the folder or the port cannot be had.
 */
export async function startLocalInterface(options: LocalInterfaceOptions): Promise<LocalInterface> {
  const { now = Date.now, onPower = () => {}, log = () => {} } = options;
  const files = new LocalFiles(options.dir);
  const faults = new FaultDealer();
  const { streamBufferSize: bufferSize = 1000, keepAliveMs = 30_000 } = options;
  const stream = new LocalStream({ bufferSize, keepAliveMs, now });
  const desk: LocalDesk = new LocalDesk({ ...options, power: () => power, files, faults, stream, log });
  const plan: LocalPowerOptions = {
    server: createDesk(desk, options.tls),
    host: hostOf(options),
    rebootMs: options.rebootMs ?? 200,
    files,
    log,
    create: (state) => new LocalReader({ ...options, now, ...(state ? { state } : {}) }),
    onDown: () => {
      stream.cut();
      onPower('down');
    },
    onUp: () => onPower('up'),
  };
  const power = await LocalPower.on(plan, options.port ?? 0).catch((error: unknown) => {
    stream.close();
    throw error;
  });
  return interfaceOver(hostOf(options), { power, stream, faults, desk });
}

function hostOf({ host = '127.0.0.1' }: LocalInterfaceOptions): string {
  return host;
}

function createDesk(desk: LocalDesk, tls: LocalInterfaceOptions['tls']): Server {
  const settings = { ...tls, headersTimeout: HEADERS_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  const server = createServer(settings, (request, response) => {
    void desk.serve(request, response);
  });
  server.maxConnections = CONNECTIONS_MAX;
  return server;
}

interface Parts {
  readonly power: LocalPower;
  readonly stream: LocalStream;
  readonly faults: FaultDealer;
  readonly desk: LocalDesk;
}

function interfaceOver(host: string, { power, stream, faults, desk }: Parts): LocalInterface {
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${power.port}`,
    port: power.port,
    get reader() {
      return power.reader;
    },
    setFaults: (set) => {
      const fault = faultsFault(set);
      if (fault !== null) throw new RangeError(`faults: ${fault.path} ${fault.reason}`);
      faults.set(set);
    },
    reboot: (how) => power.reboot(how),
    pushEvent: (line) => stream.push(line),
    view: () => desk.view(),
    stop: async () => {
      await power.stop();
      stream.close();
    },
  };
}
