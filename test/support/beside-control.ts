import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Appliance, type Endpoints, type ReaderInService, Rest, readerInService } from './appliance.ts';
import { CertificateBench, type ClientIdentity } from './certificate-bench.ts';
import { Publisher, plainRead } from './publisher.ts';
import { allTags } from './rest-pages.ts';
import { until } from './wait.ts';

const CONTROL = '370-10-15-C0DE';
const OTHER = '370-10-15-0THR';

/** A line of the appliance's log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A running appliance with a reader in service that sends beside everything else, and must not notice any of it. */
export class BesideControl {
  readonly appliance = new Appliance({ env: { TAGKEEP_LOG__LEVEL: 'warn' } });
  readonly #sent: string[] = [];
  #epcs = 0;
  #key = '';
  #open: {
    readonly endpoints: Endpoints;
    readonly bench: CertificateBench;
    readonly publisher: Publisher;
  } | null = null;

  /** Starts it all: two readers provisioned and claimed, the first of them connected. */
  async open(): Promise<void> {
    const endpoints = await this.appliance.start();
    this.#key = await this.appliance.key();
    const rest = new Rest(endpoints, this.#key);
    const control = await readerInService(this.appliance, rest, { serial: CONTROL });
    const other = await readerInService(this.appliance, rest, { serial: OTHER });
    const bench = new CertificateBench(this.appliance, { control, other });
    this.#open = { endpoints, bench, publisher: await connect(endpoints, control) };
  }

  /** The same appliance in a new process: its log says each thing again, and no ticket of TLS is good any more. */
  async restart(): Promise<void> {
    const { bench, publisher } = this.#opened;
    await publisher.close();
    await this.appliance.stop();
    const endpoints = await this.appliance.start();
    this.#open = { endpoints, bench, publisher: await connect(endpoints, bench.control) };
  }

  async close(): Promise<void> {
    await this.#open?.publisher.close();
    await this.appliance.dispose();
  }

  get #opened() {
    if (!this.#open) throw new Error('open() comes first');
    return this.#open;
  }

  get endpoints(): Endpoints {
    return this.#opened.endpoints;
  }

  get bench(): CertificateBench {
    return this.#opened.bench;
  }

  /** The control reader. */
  get reader(): ReaderInService {
    return this.bench.control;
  }

  /** What the control reader shows in TLS. */
  ownIdentity(folder = this.reader.dir): ClientIdentity {
    const file = (name: string) => readFileSync(join(folder, name));
    return { ca: file('ca.crt'), cert: file('client.crt'), key: file('client.key') };
  }

  nextEpc(): string {
    return `E28011600000BAD${(++this.#epcs).toString().padStart(9, '0')}`;
  }

  async isStored(epc: string): Promise<boolean> {
    return (await new Rest(this.endpoints, this.#key).get<unknown[]>(`/tags?q=${epc}`)).length === 1;
  }

  /** The control reader sends a read on its one connection, and it is stored by the process of before. */
  async undisturbed(publisher = this.#opened.publisher): Promise<void> {
    const epc = this.nextEpc();
    this.#sent.push(epc);
    await publisher.publish({ payload: plainRead(epc) });
    expect(await this.isStored(epc)).toBe(true);
    expect(publisher.closed).toBe(false);
    expect(this.appliance.pid).toBe(this.endpoints.pid);
  }

  /** Of every tag there is, sorted. */
  async storedEpcs(): Promise<readonly string[]> {
    const tags = await allTags(this.endpoints, new Rest(this.endpoints, this.#key));
    return tags.map(({ epc }) => epc).sort();
  }

  /** What the control reader has sent, sorted. */
  sentEpcs(): readonly string[] {
    return this.#sent.toSorted();
  }

  /** What the appliance says from now on: asked for a number of lines, waits until there are as many, and tells all. */
  linesFromNow(): (atLeast: number) => Promise<readonly LogLine[]> {
    const from = this.#lines().length;
    return (atLeast) =>
      until(`${atLeast} more lines in the log`, () => {
        const lines = this.#lines().slice(from);
        return lines.length >= atLeast && lines.map((line): LogLine => JSON.parse(line));
      });
  }

  #lines(): readonly string[] {
    // What follows the last line break is not complete yet.
    return this.appliance.output
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'));
  }
}

function connect({ mqtts: url }: Endpoints, { serial, dir: identity }: ReaderInService): Promise<Publisher> {
  return Publisher.connect({ url, serial, identity, clientId: 'control' });
}
