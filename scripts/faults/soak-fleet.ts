import { until } from '../../test/support/wait.ts';
import { serialOf } from '../bench/fleet.ts';
import { percentile } from '../bench/percentile.ts';
import type { Site } from '../bench/seed.ts';
import { SoakLedger } from './soak-ledger.ts';
import { SteadyReader } from './soak-reader.ts';

export interface FleetSize {
  readonly readers: number;
  readonly tagsPerReader: number;
}

export interface Pace {
  /** Over all readers. */
  readonly readsPerSecond: number;
  readonly readsPerMessage: number;
}

const PACE_MS = 10;
const SETTLE_MS = 60_000;

/** Readers that read at a fixed pace whatever the appliance does, so that what it delays shows. */
export class SteadyFleet {
  readonly ledger: SoakLedger;
  readonly readers: readonly SteadyReader[];
  #answersMs: number[] = [];
  #stopPace: () => void = () => {};

  constructor(site: Site, { readers, tagsPerReader }: FleetSize) {
    const ledger = new SoakLedger(readers * tagsPerReader);
    this.ledger = ledger;
    this.readers = site.readers.slice(0, readers).map((identity, index) => {
      const tags = { first: index * tagsPerReader, count: tagsPerReader };
      const onAnswer = (ms: number): void => void this.#answersMs.push(ms);
      const own = { serial: serialOf(index), identity: { ...identity, ca: site.ca } };
      return new SteadyReader({ ...own, ledger, tags, onAnswer });
    });
  }

  get connected(): number {
    return this.readers.filter(({ connected }) => connected).length;
  }

  /** Connections since the beginning; as many as readers when none was ever lost. */
  get connections(): number {
    return this.readers.reduce((sum, { connections }) => sum + connections, 0);
  }

  get unanswered(): number {
    return this.readers.reduce((sum, { unanswered }) => sum + unanswered, 0);
  }

  /** All readers connect, and stay. */
  async connect(url: string): Promise<void> {
    for (const reader of this.readers) reader.stay(url);
    await until(
      `${this.readers.length} readers to be connected`,
      () => this.connected === this.readers.length,
      60_000,
    );
  }

  /** Goes on until `hold`; messages are spread evenly over time and readers. */
  start({ readsPerSecond, readsPerMessage }: Pace): void {
    const perMs = readsPerSecond / readsPerMessage / 1000;
    const began = performance.now();
    let sent = 0;
    const timer = setInterval(() => {
      for (const due = (performance.now() - began) * perMs; sent < due; sent++)
        this.readers[sent % this.readers.length]?.read(readsPerMessage);
    }, PACE_MS);
    this.#stopPace = () => clearInterval(timer);
  }

  hold(): void {
    this.#stopPace();
  }

  /** Resolves when everything that was read has been acknowledged. */
  async settle(): Promise<void> {
    this.hold();
    await until('every message to be acknowledged', () => this.unanswered === 0, SETTLE_MS);
  }

  /** The 99th percentile of how long answers took since the last call, in ms. */
  answersP99Ms(): number {
    const p99 = percentile(this.#answersMs, 0.99);
    this.#answersMs = [];
    return p99;
  }

  async close(): Promise<void> {
    this.hold();
    await Promise.all(this.readers.map((reader) => reader.close()));
  }
}
