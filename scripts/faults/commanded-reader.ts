import { createPrng, type Prng } from '../../src/lib/prng.ts';
import { type Appliance, readerInService } from '../../test/support/appliance.ts';
import { ReaderProcesses } from '../../test/support/reader-processes.ts';
import { until } from '../../test/support/wait.ts';
import type { Party } from './party.ts';

const SERIAL = '370-10-15-0036';
const PAUSE_MS = 700;
const SETTLE_MS = 90_000;

interface Shown {
  readonly id: string;
  readonly enabled: boolean;
  readonly lastCommand?: { readonly kind: string; readonly state: string };
}

/** A reader with its real agent, each a process of its own, that somebody starts and stops over REST all the time. */
export class CommandedReader {
  readonly #party: Party;
  readonly #readerId: string;
  readonly #processes: ReaderProcesses;
  readonly #prng: Prng;
  /** What was asked for last; null while it is not known whether it was taken. */
  #wanted: boolean | null = null;
  #running: Promise<void> | null = null;
  #stop = false;
  /** Commands that REST accepted. */
  given = 0;
  killed = 0;

  private constructor(party: Party, readerId: string, processes: ReaderProcesses) {
    this.#party = party;
    this.#readerId = readerId;
    this.#processes = processes;
    this.#prng = createPrng(SERIAL.length);
  }

  static async open(appliance: Appliance, party: Party): Promise<CommandedReader> {
    const { id } = await party.rest.ok<{ id: string }>('POST', '/zones', { name: 'Agent' });
    const reader = await readerInService(appliance, party.rest, { serial: SERIAL, zones: { 1: id } });
    const url = appliance.endpoints().mqtts;
    const processes = await ReaderProcesses.start({ dir: reader.dir, url, env: appliance.env });
    return new CommandedReader(party, reader.readerId, processes);
  }

  start(): void {
    this.#stop = false;
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop = true;
    await this.#running;
    this.#running = null;
  }

  /** The agent or the reader itself is gone at once, and back. */
  async killOne(): Promise<void> {
    this.killed++;
    if (this.#prng.unit() < 0.5) {
      await this.#processes.killAgent();
      this.#processes.startAgent();
    } else {
      await this.#processes.killStandIn();
      await this.#processes.startStandIn();
    }
  }

  /** Waits until the reader does what was asked for and the service says so; what is wrong when it never does. */
  async faults(): Promise<readonly string[]> {
    const { enabled } = await this.#shown();
    const faults =
      this.#wanted === null || enabled === this.#wanted
        ? []
        : [`the reader is enabled: ${enabled}, and ${this.#wanted} was answered`];
    const kind = enabled ? 'start' : 'stop';
    try {
      await until(`the ${kind} to be applied`, () => this.#obeys(kind), SETTLE_MS);
    } catch (error) {
      faults.push(`${error instanceof Error ? error.message : error}: ${await this.#state()}`);
    }
    return faults;
  }

  async end(): Promise<void> {
    await this.stop();
    await this.#processes.end();
  }

  async #obeys(kind: string): Promise<boolean> {
    const { lastCommand } = await this.#shown();
    const { radio } = await this.#processes.view();
    const isOn = (radio?.id ?? null) === 'svc-default';
    return lastCommand?.state === 'applied' && lastCommand.kind === kind && isOn === (kind === 'start');
  }

  async #state(): Promise<string> {
    const { lastCommand } = await this.#shown();
    const { radio } = await this.#processes.view();
    return `last command ${JSON.stringify(lastCommand)}, radio ${radio?.id ?? null}`;
  }

  async #run(): Promise<void> {
    while (!this.#stop) {
      const enabled = this.#prng.unit() < 0.5;
      this.#wanted = null;
      try {
        const { status } = await this.#party.rest.send('PATCH', `/readers/${this.#readerId}`, { enabled });
        if (status === 200) {
          this.#wanted = enabled;
          this.given++;
        }
      } catch {
        // No answer: whether it was taken shows in the reader.
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * (0.2 + this.#prng.unit())));
    }
  }

  async #shown(): Promise<Shown> {
    const readers = await this.#party.rest.get<readonly Shown[]>('/readers');
    const found = readers.find(({ id }) => id === this.#readerId);
    if (!found) throw new Error(`reader ${SERIAL} is gone`);
    return found;
  }
}
