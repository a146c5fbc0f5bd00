import { createPrng, type Prng } from '../../src/lib/prng.ts';
import { ValueLedger } from './value-ledger.ts';

export interface RestWriterOptions {
  /** `http://127.0.0.1:8080`, asked before every request: a restart may change it. */
  readonly origin: () => string;
  readonly key: string;
  /** Stands in every value it writes; the EPCs are the same for every writer, so that mixing them up shows. */
  readonly mark: string;
  readonly seed: number;
}

interface Answer {
  /** 0: none came. */
  readonly status: number;
  readonly body: unknown;
}

const TAGS = 12;
const ASSETS = 6;
const IMPORT_ROWS = 5;
const FIELD = 'fault_note';
const LIMIT_MS = 20_000;
const PAUSE_MS = 20;
const HISTORY_MAX = 1000;

const epcOf = (index: number): string => `FA17${index.toString(16).toUpperCase().padStart(20, '0')}`;

/** Writes tag data, assets and imports, one request at a time, and keeps what was answered. */
export class RestWriter {
  readonly #options: RestWriterOptions;
  readonly #prng: Prng;
  readonly #tags = new Map(Array.from({ length: TAGS }, (_, index) => [epcOf(index), new ValueLedger()]));
  readonly #assets = new Map<string, ValueLedger>();
  /** Answers by status; 0 for none. */
  readonly statuses = new Map<number, number>();
  /** Answers that are no refusal as the contract has them. */
  readonly odd: string[] = [];
  #running: Promise<void> | null = null;
  #stop = false;
  #no = 0;

  constructor(options: RestWriterOptions) {
    this.#options = options;
    this.#prng = createPrng(options.seed);
  }

  get accepted(): number {
    return [...this.statuses].reduce((sum, [status, count]) => sum + (isDone(status) ? count : 0), 0);
  }

  /** Makes the assets it then checks out and in. */
  async furnish(): Promise<void> {
    for (let index = 0; index < ASSETS; index++) {
      const name = `${this.#options.mark} asset ${index}`;
      const { status, body } = await this.#send('POST', '/assets', { name, assetTagNumber: name });
      if (status !== 201) throw new Error(`POST /assets: ${status}`);
      this.#assets.set(String(Reflect.get(Object(body), 'id')), new ValueLedger());
    }
  }

  start(): void {
    this.#stop = false;
    this.#running ??= this.#run();
  }

  /** Resolves when the last request is answered, or will never be. */
  async stop(): Promise<void> {
    this.#stop = true;
    await this.#running;
    this.#running = null;
  }

  /** Compares everything with what REST tells now. */
  async faults(): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const [epc, ledger] of this.#tags) faults.push(...(await this.#tagFaults(epc, ledger)));
    for (const [id, ledger] of this.#assets) faults.push(...(await this.#assetFaults(id, ledger)));
    return [...faults, ...this.odd.splice(0)];
  }

  async #run(): Promise<void> {
    while (!this.#stop) {
      const draw = this.#prng.unit();
      if (draw < 0.6) await this.#putTag();
      else if (draw < 0.9) await this.#moveAsset();
      else await this.#import();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  #value(): string {
    return `${this.#options.mark} ${++this.#no}`;
  }

  async #putTag(): Promise<void> {
    const epc = epcOf(this.#prng.below(TAGS));
    const value = this.#value();
    const { status } = await this.#send('PUT', `/tags/${epc}/data`, { [FIELD]: value });
    this.#note(this.#tags.get(epc), status, value);
  }

  async #import(): Promise<void> {
    const first = this.#prng.below(TAGS - IMPORT_ROWS);
    const rows = Array.from(
      { length: IMPORT_ROWS },
      (_, index) => [epcOf(first + index), this.#value()] as const,
    );
    const csv = [`epc,${FIELD}`, ...rows.map((row) => row.join(','))].join('\n');
    const form = new FormData();
    form.set('file', new Blob([csv], { type: 'text/csv' }), 'rows.csv');
    const { status, body } = await this.#send('POST', '/tags/import', form);
    const errors = isDone(status) ? JSON.stringify(Reflect.get(Object(body), 'errors')) : '[]';
    if (errors !== '[]') this.odd.push(`an import answered ${status} with errors ${errors}`);
    for (const [epc, value] of rows) this.#note(this.#tags.get(epc), status, value);
  }

  async #moveAsset(): Promise<void> {
    const ids = [...this.#assets.keys()];
    const id = ids[this.#prng.below(ids.length)] ?? '';
    const ledger = this.#assets.get(id);
    const seen = await this.#send('GET', `/assets/${id}`);
    if (!ledger || !isDone(seen.status)) return;
    const fault = ledger.faultIn(`asset ${id}`, custodianOf(seen.body));
    if (fault) this.odd.push(fault);
    const custodian = custodianOf(seen.body) === null ? this.#value() : null;
    const answer =
      custodian === null
        ? await this.#send('POST', `/assets/${id}/check-in`)
        : await this.#send('POST', `/assets/${id}/check-out`, { custodian });
    this.#note(ledger, answer.status, custodian);
  }

  /** A refusal that says why has written nothing; only for one of the disk it is not known. */
  #note(ledger: ValueLedger | undefined, status: number, value: string | null): void {
    if (isDone(status)) ledger?.took(value);
    else if (status === 0 || status >= 500) ledger?.unanswered(value);
    else this.odd.push(`a write of "${value}" was answered ${status}`);
  }

  async #tagFaults(epc: string, ledger: ValueLedger): Promise<readonly string[]> {
    const { body } = await this.#mustGet(`/tags/${epc}/data`);
    const seen = Reflect.get(Object(Reflect.get(Object(body), 'attributes')), FIELD);
    const fault = ledger.faultIn(`${this.#options.mark}: ${FIELD} of ${epc}`, textOf(seen));
    const history = await this.#mustGet(`/tags/${epc}/history`);
    const values = listOf(history.body).map((entry) => String(Reflect.get(Object(entry), 'value')));
    return [...(fault ? [fault] : []), ...this.#pastFaults(`history of ${epc}`, values, ledger)];
  }

  async #assetFaults(id: string, ledger: ValueLedger): Promise<readonly string[]> {
    const { body } = await this.#mustGet(`/assets/${id}`);
    const fault = ledger.faultIn(`${this.#options.mark}: custodian of ${id}`, custodianOf(body));
    const events = listOf((await this.#mustGet(`/assets/${id}/events`)).body);
    const custodians = events.flatMap((event) => {
      const custodian = Reflect.get(Object(Reflect.get(Object(event), 'meta')), 'custodian');
      return Reflect.get(Object(event), 'kind') === 'check_out' ? [String(custodian)] : [];
    });
    return [...(fault ? [fault] : []), ...this.#pastFaults(`timeline of ${id}`, custodians, ledger)];
  }

  /** Every answered value is in the past once, no value twice, none of another organisation. */
  #pastFaults(where: string, values: readonly string[], ledger: ValueLedger): readonly string[] {
    const { mark } = this.#options;
    const there = new Set(values);
    const faults: string[] = [];
    if (there.size < values.length) faults.push(`${mark}: ${where} has a write twice`);
    if (values.length < HISTORY_MAX)
      for (const value of ledger.answered)
        if (!there.has(value)) faults.push(`${mark}: "${value}" was answered and is not in the ${where}`);
    for (const value of values)
      if (!value.startsWith(`${mark} `)) faults.push(`${mark}: ${where} has "${value}", which is another's`);
    return faults;
  }

  async #mustGet(path: string): Promise<Answer> {
    const answer = await this.#send('GET', path);
    if (!isDone(answer.status)) throw new Error(`GET ${path}: ${answer.status}`);
    return answer;
  }

  async #send(method: string, path: string, body?: object): Promise<Answer> {
    const isForm = body instanceof FormData;
    try {
      const response = await fetch(`${this.#options.origin()}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.#options.key}`,
          ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(LIMIT_MS),
      });
      const text = await response.text();
      return this.#told(method, { status: response.status, body: text === '' ? null : JSON.parse(text) });
    } catch {
      return this.#told(method, { status: 0, body: null });
    }
  }

  #told(method: string, answer: Answer): Answer {
    const { status, body } = answer;
    if (method !== 'GET') this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status >= 500 && Reflect.get(Object(body), 'status') !== status)
      this.odd.push(`${method} answered ${status} without problem details`);
    return answer;
  }
}

function isDone(status: number): boolean {
  return status >= 200 && status < 300;
}

function custodianOf(asset: unknown): string | null {
  return textOf(Reflect.get(Object(asset), 'custodian'));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function listOf(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [];
}
