import { Appliance, type Endpoints } from '../../test/support/appliance.ts';
import { freePort } from '../../test/support/reader-processes.ts';
import { until } from '../../test/support/wait.ts';
import { Party } from './party.ts';

export interface SiteOptions {
  readonly seed: number;
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** EPCs of readers that are no part of the load; they are nobody's fault. */
  readonly otherTags?: RegExp;
}

// Every tag counts as present however long it takes, so that the totals have to add up.
const environment = {
  TAGKEEP_PRESENCE__WINDOW_SECONDS: '86400',
  TAGKEEP_LOG__LEVEL: 'warn',
};
const READERS = 2;

/** An appliance with two organisations under load, and a record of everything they were told. */
export class Site {
  readonly appliance: Appliance;
  /** How long each start took until the appliance was ready, in ms. */
  readonly starts: number[] = [];
  readonly #otherTags: RegExp | null;
  #parties: readonly Party[] = [];

  private constructor(options: SiteOptions, ports: Readonly<Record<string, string>>) {
    const { dataDir, env } = options;
    this.#otherTags = options.otherTags ?? null;
    this.appliance = new Appliance({
      ...(dataDir === undefined ? {} : { dataDir }),
      env: { ...environment, ...ports, ...env },
    });
  }

  /** Ports stay the same over restarts, as on a real box. */
  static async open(options: SiteOptions): Promise<Site> {
    const ports = {
      TAGKEEP_HTTP__PORT: String(await freePort()),
      TAGKEEP_MQTTS__PORT: String(await freePort()),
    };
    const site = new Site(options, ports);
    try {
      await site.start();
      for (const [index, name] of ['alpha', 'beta'].entries())
        await site.#join(name, { index, seed: options.seed });
      return site;
    } catch (error) {
      await site.close();
      throw error;
    }
  }

  get parties(): readonly Party[] {
    return this.#parties;
  }

  get endpoints(): Endpoints {
    return this.appliance.endpoints();
  }

  /** Reads acknowledged to all readers so far. */
  get acknowledged(): number {
    return this.#parties.reduce((sum, { ledger }) => sum + ledger.acknowledged, 0);
  }

  get acknowledgedTags(): number {
    return this.#parties.reduce((sum, { ledger }) => sum + ledger.acknowledgedTags, 0);
  }

  /** Writes REST has answered with 2xx so far. */
  get written(): number {
    return this.#parties.reduce((sum, { writer }) => sum + writer.accepted, 0);
  }

  get unanswered(): number {
    return this.#parties.reduce((sum, party) => sum + party.unanswered, 0);
  }

  /** Answers to REST writes by status, as `200: 31, 507: 4`; 0 is none. */
  get statuses(): ReadonlyMap<number, number> {
    const sum = new Map<number, number>();
    for (const { writer } of this.#parties)
      for (const [status, count] of writer.statuses) sum.set(status, (sum.get(status) ?? 0) + count);
    return sum;
  }

  async start(): Promise<void> {
    const at = performance.now();
    await this.appliance.start();
    this.starts.push(performance.now() - at);
  }

  async load(): Promise<void> {
    await Promise.all(this.#parties.map((party) => party.load()));
  }

  /** Resolves when so many reads and REST writes more have been acknowledged. */
  async goesOn({ reads = 200, writes = 5, timeoutMs = 30_000 } = {}): Promise<void> {
    const { acknowledged, written } = this;
    await until(
      `${reads} reads and ${writes} writes more`,
      () => this.acknowledged >= acknowledged + reads && this.written >= written + writes,
      timeoutMs,
    );
  }

  /** Nothing new is sent; resolves when everything sent has been answered. */
  async settle(): Promise<void> {
    await Promise.all(this.#parties.map((party) => party.hold()));
    await until('every message to be acknowledged', () => this.unanswered === 0, 60_000);
  }

  /** Ends the process and counts every answer that was on its way; resolves with what it ended with. */
  async stop(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    const code = await this.appliance.stop(signal);
    await Promise.all(this.#parties.map((party) => party.ended()));
    return code;
  }

  /** Readers leave, without the process ending. */
  async leave(): Promise<void> {
    await Promise.all(this.#parties.map((party) => party.close()));
  }

  /** What REST tells against what was answered, of every organisation; nothing may be in flight. */
  async faults(): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const [index, party] of this.#parties.entries())
      faults.push(...(await party.faults(index === 0 ? this.#otherTags : null)));
    return faults;
  }

  async close(): Promise<void> {
    await this.leave();
    await this.appliance.dispose();
  }

  async #join(
    name: string,
    { index, seed }: { readonly index: number; readonly seed: number },
  ): Promise<void> {
    const mark = ['A0', 'B0'][index] ?? 'C0';
    const options = { name, mark, readers: READERS, seed: seed + 100 * index };
    this.#parties = [...this.#parties, await Party.open(this.appliance, options)];
  }
}
