import { createPrng, type Prng } from '../../src/lib/prng.ts';
import { Appliance, type Endpoints, Rest, readerInService } from './appliance.ts';
import { LoadingReader } from './loading-reader.ts';
import { ReadLedger } from './read-ledger.ts';
import { allTags } from './rest-pages.ts';
import { until } from './wait.ts';

const WINDOW = 64;
const ZONES = ['Dock', 'Hall', 'Shelf', 'Yard'];

const environment = { TAGKEEP_PRESENCE__WINDOW_SECONDS: '86400', TAGKEEP_LOG__LEVEL: 'warn' };

export interface LoadedHouseOptions {
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface RoundReport {
  /** Reads acknowledged in all rounds so far, and tags they were of. */
  readonly acknowledged: number;
  readonly tags: number;
  /** Messages on their way when the process was killed. */
  readonly unanswered: number;
  /** Contradictions between the store and what was acknowledged; empty when nothing was lost. */
  readonly faults: readonly string[];
}

/** An appliance with readers that publish as fast as they are answered, and a record of everything they were told. */
export class LoadedHouse {
  readonly appliance: Appliance;
  readonly ledger = new ReadLedger();
  readonly #readers: LoadingReader[] = [];
  readonly #prng: Prng;
  #key = '';
  endpoints: Endpoints;

  private constructor(appliance: Appliance, endpoints: Endpoints, seed: number) {
    this.appliance = appliance;
    this.endpoints = endpoints;
    this.#prng = createPrng(seed);
  }

  /** Every tag counts as present however long the rounds take, so that the totals have to add up. */
  static async open(readers: number, seed: number, options: LoadedHouseOptions = {}): Promise<LoadedHouse> {
    const appliance = new Appliance({ ...options, env: { ...environment, ...options.env } });
    try {
      const house = new LoadedHouse(appliance, await appliance.start(), seed);
      await house.#furnish(readers, seed);
      return house;
    } catch (error) {
      await appliance.dispose();
      throw error;
    }
  }

  get rest(): Rest {
    return new Rest(this.endpoints, this.#key);
  }

  get unanswered(): number {
    return this.#readers.reduce((sum, reader) => sum + reader.unanswered, 0);
  }

  /** All readers connect and publish. */
  async load(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.start(this.endpoints.mqtts, WINDOW)));
  }

  /** All readers leave, once everything they sent has been answered. */
  async settle(): Promise<void> {
    for (const reader of this.#readers) reader.hold();
    await until('every message to be acknowledged', () => this.unanswered === 0);
    await Promise.all(this.#readers.map((reader) => reader.close()));
  }

  /** Resolves when so many reads more have been acknowledged. */
  async acknowledged(more: number): Promise<void> {
    const target = this.ledger.acknowledged + more;
    await until(`${more} acknowledged reads`, () => this.ledger.acknowledged >= target);
  }

  /** kill -9 under load, at a moment nobody chose; then a new start, and the comparison. */
  async killRound(): Promise<RoundReport> {
    await this.load();
    await this.acknowledged(200);
    await new Promise((resolve) => setTimeout(resolve, 2500 * this.#prng.unit()));
    const { unanswered } = this;
    await this.stopped('SIGKILL');
    await this.restart();
    return { ...this.#counts(), unanswered, faults: await this.faults() };
  }

  /** The end of a process: every answer that was on its way is counted. */
  async stopped(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    const code = await this.appliance.stop(signal);
    await this.#disconnected();
    return code;
  }

  async restart(): Promise<void> {
    this.endpoints = await this.appliance.start();
  }

  /** What the store says, against what was acknowledged; and the inventory against the tags. */
  async faults(): Promise<readonly string[]> {
    const tags = await allTags(this.endpoints, this.rest);
    const summary = await this.rest.get<{ zoneName: string; total: number }[]>('/inventory/summary');
    const faults = [...this.ledger.faultsIn(tags)];
    for (const { zoneName, total } of summary) {
      const there = tags.filter((tag) => tag.zoneName === zoneName).length;
      if (there !== total) faults.push(`${zoneName} has ${there} tags and an inventory of ${total}`);
    }
    return faults;
  }

  async close(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.close()));
    await this.appliance.dispose();
  }

  #counts() {
    return { acknowledged: this.ledger.acknowledged, tags: this.ledger.acknowledgedTags };
  }

  async #disconnected(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.ended()));
  }

  async #furnish(readers: number, seed: number): Promise<void> {
    this.#key = await this.appliance.key();
    const zoneIds: Record<number, string> = {};
    for (const [index, name] of ZONES.entries())
      zoneIds[index + 1] = (await this.rest.ok<{ id: string }>('POST', '/zones', { name })).id;
    const zones = new Map(ZONES.map((name, index) => [index + 1, name]));
    for (let index = 0; index < readers; index++) {
      const serial = `370-10-15-${String(index).padStart(4, '0')}`;
      const { dir } = await readerInService(this.appliance, this.rest, { serial, zones: zoneIds });
      const mark = index.toString(16).toUpperCase().padStart(4, '0');
      const { ledger, endpoints } = this;
      const url = endpoints.mqtts;
      this.#readers.push(
        new LoadingReader({ url, serial, identity: dir, ledger, zones, mark, seed: seed + index }),
      );
    }
  }
}
