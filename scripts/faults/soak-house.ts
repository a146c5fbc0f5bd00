import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Rest } from '../../test/support/appliance.ts';
import { allTags } from '../../test/support/rest-pages.ts';
import { Probe } from '../bench/clients.ts';
import { anonymousMegabytes } from '../bench/machine.ts';
import type { RestResult } from '../bench/probe.ts';
import { makeSite, type Site } from '../bench/seed.ts';
import { startTagkeep, type TagkeepTarget } from '../bench/targets.ts';
import { type FleetSize, SteadyFleet } from './soak-fleet.ts';

export interface SoakHouseOptions {
  readonly folder: string;
  readonly fleet: FleetSize;
  /** Readers in service, when that is more than publish. */
  readonly readers?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** REST meanwhile, and what readers waited for their answers. */
export interface Seen {
  readonly rest: RestResult;
  readonly answersP99Ms: number;
}

const REST_PATH = '/api/v1/license';
const REST_PER_SECOND = 50;
const MEMORY_SAMPLE_MS = 200;

/** A serving process with readers in service, a fleet that publishes to it, and a process that asks REST meanwhile. */
export class SoakHouse {
  readonly site: Site;
  readonly fleet: SteadyFleet;
  readonly #probe = new Probe();
  readonly #env: Readonly<Record<string, string>>;
  target: TagkeepTarget;

  private constructor(site: Site, target: TagkeepTarget, options: SoakHouseOptions) {
    this.site = site;
    this.target = target;
    this.fleet = new SteadyFleet(site, options.fleet);
    this.#env = options.env ?? {};
  }

  static async open(options: SoakHouseOptions): Promise<SoakHouse> {
    const site = await makeSite(options.folder, options.readers ?? options.fleet.readers);
    return new SoakHouse(site, await startTagkeep(site, null, options.env), options);
  }

  get rest(): Rest {
    return new Rest(this.target.endpoints, this.site.apiKey);
  }

  get megabytes(): number {
    return anonymousMegabytes(this.target.pid);
  }

  connect(): Promise<void> {
    return this.fleet.connect(this.target.endpoints.mqtts);
  }

  /** Ends the process and starts it again on the same broker port, as a box does. */
  async restart(): Promise<void> {
    const { port } = this.target;
    await this.target.stop();
    this.target = await startTagkeep(this.site, null, { ...this.#env, TAGKEEP_MQTTS__PORT: String(port) });
  }

  /** Asks REST at a fixed pace while something goes on; when that fails, the house is only fit to be closed. */
  async during(work: () => Promise<unknown>): Promise<Seen> {
    const { origin } = this.target;
    this.fleet.answersP99Ms();
    const request = { origin, apiKey: this.site.apiKey, path: REST_PATH, perSecond: REST_PER_SECOND };
    await this.#probe.startRest(request);
    await work();
    return { rest: await this.#probe.stopRest(), answersP99Ms: this.fleet.answersP99Ms() };
  }

  /** The most memory there was until `stop` is called, in MB. */
  watchMemory(): { readonly stop: () => number } {
    const { pid } = this.target;
    let most = anonymousMegabytes(pid);
    const timer = setInterval(() => {
      most = Math.max(most, anonymousMegabytes(pid));
    }, MEMORY_SAMPLE_MS);
    return {
      stop: () => {
        clearInterval(timer);
        return most;
      },
    };
  }

  /** The least memory there is within that many seconds, in MB: what waits to be collected does not count. */
  async leastMegabytes(seconds: number): Promise<number> {
    let least = this.megabytes;
    for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(200))
      least = Math.min(least, this.megabytes);
    return least;
  }

  /** Files, sockets and the like that the process has open. */
  get descriptors(): number {
    return readdirSync(`/proc/${this.target.pid}/fd`).length;
  }

  /** What REST tells of all tags against what was acknowledged, once everything is. */
  async lost(): Promise<readonly string[]> {
    await this.fleet.settle();
    return this.fleet.ledger.faultsIn(await allTags(this.target.endpoints, this.rest));
  }

  async close(): Promise<void> {
    await this.fleet.close();
    await this.#probe.stop();
    await this.target.stop();
  }
}
