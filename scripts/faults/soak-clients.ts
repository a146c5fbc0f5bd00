import type { Rest } from '../../test/support/appliance.ts';
import { epcOf } from '../bench/fleet.ts';

/** What people's programs did meanwhile. */
export interface ClientFigures {
  readonly answersMs: readonly number[];
  readonly changes: number;
  /** Every answer that was none of what the contract says, one line each. */
  readonly faults: readonly string[];
}

const PATHS = [
  '/tags',
  '/readers',
  '/inventory/summary',
  '/assets',
  '/alerts',
  '/zones',
  '/license',
] as const;
const ASSETS = 20;
const GET_MS = 1000;
const CHANGE_MS = 1200;
const FAULTS_KEPT = 50;

/** Programs of the site: a GET each second, each path in turn, and fifty times a minute an asset goes out or comes back. */
export class SoakClients {
  readonly #rest: Rest;
  readonly #assets: string[] = [];
  readonly #out = new Set<string>();
  readonly #pending = new Set<Promise<void>>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #answersMs: number[] = [];
  readonly #faults: string[] = [];
  #gets = 0;
  #changes = 0;

  constructor(rest: Rest) {
    this.#rest = rest;
  }

  async start(): Promise<void> {
    for (let nth = 0; nth < ASSETS; nth++) {
      const asset = { name: `Asset ${nth}`, assetTagNumber: `S-${nth}`, epc: epcOf(nth) };
      this.#assets.push((await this.#rest.ok<{ id: string }>('POST', '/assets', asset)).id);
    }
    this.#timers.push(setInterval(() => this.#track(this.#get()), GET_MS));
    this.#timers.push(setInterval(() => this.#track(this.#change()), CHANGE_MS));
  }

  async stop(): Promise<ClientFigures> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#pending);
    return { answersMs: this.#answersMs, changes: this.#changes, faults: this.#faults };
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch((error) => {
      if (this.#faults.length < FAULTS_KEPT) this.#faults.push(String(error));
    });
    this.#pending.add(tracked);
    void tracked.then(() => this.#pending.delete(tracked));
  }

  async #get(): Promise<void> {
    const path = PATHS[this.#gets++ % PATHS.length] ?? '/tags';
    const began = performance.now();
    await this.#rest.get(path);
    this.#answersMs.push(performance.now() - began);
  }

  async #change(): Promise<void> {
    const id = this.#assets[this.#changes++ % this.#assets.length] ?? '';
    const isOut = this.#out.has(id);
    const asset = await this.#rest.ok<{ status: string }>(
      ...(['POST', `/assets/${id}/${isOut ? 'check-in' : 'check-out'}`, isOut ? undefined : {}] as const),
    );
    if (isOut) this.#out.delete(id);
    else this.#out.add(id);
    const expected = isOut ? 'available' : 'checked_out';
    if (asset.status !== expected) throw new Error(`an asset is ${asset.status} instead of ${expected}`);
  }
}
