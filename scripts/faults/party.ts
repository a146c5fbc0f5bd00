import { type Appliance, Rest, readerInService } from '../../test/support/appliance.ts';
import { LoadingReader } from '../../test/support/loading-reader.ts';
import { ReadLedger } from '../../test/support/read-ledger.ts';
import { allTags } from '../../test/support/rest-pages.ts';
import { RestWriter } from './rest-writer.ts';

export interface PartyOptions {
  /** The organisation. */
  readonly name: string;
  /** Two hexadecimal digits that all EPCs of its readers have in common. */
  readonly mark: string;
  readonly readers: number;
  readonly seed: number;
}

const ZONES = ['Dock', 'Hall', 'Shelf', 'Yard'];
const WINDOW = 24;
/** The EPCs of every party's writer. */
const WRITTEN = /^FA17/;

/** An organisation with readers that publish as fast as they are answered and somebody who writes over REST. */
export class Party {
  readonly name: string;
  readonly key: string;
  readonly ledger = new ReadLedger();
  readonly writer: RestWriter;
  readonly #appliance: Appliance;
  readonly #mark: string;
  readonly #readers: LoadingReader[] = [];

  private constructor(appliance: Appliance, key: string, { name, mark, seed }: PartyOptions) {
    this.name = name;
    this.key = key;
    this.#mark = mark;
    this.#appliance = appliance;
    const origin = (): string => appliance.endpoints().http;
    this.writer = new RestWriter({ origin, key, mark: name, seed });
  }

  static async open(appliance: Appliance, options: PartyOptions): Promise<Party> {
    const { name } = options;
    await appliance.cliJson('org', 'add', name);
    const { key } = await appliance.cliJson<{ key: string }>('key', 'create', 'faults', '--org', name);
    const party = new Party(appliance, key, options);
    await party.#furnish(options);
    return party;
  }

  get rest(): Rest {
    return new Rest(this.#appliance.endpoints(), this.key);
  }

  /** A tag that its first reader has in view all the time. */
  get seenEpc(): string {
    return `E280${this.#mark}00${'1'.padStart(16, '0')}`;
  }

  /** A tag that its writer writes to. */
  get writtenEpc(): string {
    return `FA17${'0'.repeat(20)}`;
  }

  /** Messages without an answer. */
  get unanswered(): number {
    return this.#readers.reduce((sum, reader) => sum + reader.unanswered, 0);
  }

  async load(): Promise<void> {
    const { mqtts } = this.#appliance.endpoints();
    await Promise.all(this.#readers.map((reader) => reader.start(mqtts, WINDOW)));
    this.writer.start();
  }

  /** Nothing new is sent. */
  async hold(): Promise<void> {
    for (const reader of this.#readers) reader.hold();
    await this.writer.stop();
  }

  /** The process is gone: resolves when every answer that came is counted. */
  async ended(): Promise<void> {
    await Promise.all([this.writer.stop(), ...this.#readers.map((reader) => reader.ended())]);
  }

  async close(): Promise<void> {
    await Promise.all([this.writer.stop(), ...this.#readers.map((reader) => reader.close())]);
  }

  /** Whatever REST tells that contradicts what was answered, or belongs to somebody else. */
  async faults(foreign: RegExp | null = null): Promise<readonly string[]> {
    const all = await allTags(this.#appliance.endpoints(), this.rest);
    const own = all.filter(({ epc }) => epc.startsWith(`E280${this.#mark}`));
    const strange = all.filter(
      ({ epc }) => !epc.startsWith(`E280${this.#mark}`) && !WRITTEN.test(epc) && !foreign?.test(epc),
    );
    return [
      ...this.ledger.faultsIn(own).map((fault) => `${this.name}: ${fault}`),
      ...strange.map(({ epc }) => `${this.name} has ${epc}, which no reader of it sent`),
      ...(await this.inventoryFaults(own)),
      ...(await this.writer.faults()),
    ];
  }

  /** Totals of the zones that differ from what the tags say. */
  async inventoryFaults(tags: readonly { readonly zoneName: string | null }[]): Promise<readonly string[]> {
    const zones = await this.rest.get<{ zoneName: string; total: number }[]>('/inventory/summary');
    return zones.flatMap(({ zoneName, total }) => {
      if (!ZONES.includes(zoneName)) return [];
      const there = tags.filter((tag) => tag.zoneName === zoneName).length;
      return there === total ? [] : [`${this.name}: ${zoneName} has ${there} tags, an inventory of ${total}`];
    });
  }

  async #furnish({ name, readers, seed }: PartyOptions): Promise<void> {
    const { rest, ledger } = this;
    const zoneIds: Record<number, string> = {};
    for (const [index, zone] of ZONES.entries())
      zoneIds[index + 1] = (await rest.ok<{ id: string }>('POST', '/zones', { name: zone })).id;
    const zones = new Map(ZONES.map((zone, index) => [index + 1, zone]));
    const url = this.#appliance.endpoints().mqtts;
    for (let index = 0; index < readers; index++) {
      const serial = `${name}-${String(index).padStart(4, '0')}`;
      const { dir } = await readerInService(this.#appliance, rest, { serial, zones: zoneIds });
      const mark = `${this.#mark}${index.toString(16).toUpperCase().padStart(2, '0')}`;
      this.#readers.push(
        new LoadingReader({ url, serial, identity: dir, ledger, zones, mark, seed: seed + index }),
      );
    }
    await this.writer.furnish();
  }
}
