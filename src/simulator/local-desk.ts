import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest, done, found, type LocalAnswer, refused, unknownPath } from './local-answer.ts';
import { CallCounts } from './local-calls.ts';
import { type Fate, type FaultDealer, faultsFault, isFaults } from './local-faults.ts';
import { isIdentityFile, type LocalFiles } from './local-files.ts';
import { isAuthorised, readBody, uploadOf, writeAnswer } from './local-http.ts';
import type { LocalPower, RebootOptions } from './local-power.ts';
import type { RunningInventory } from './local-reader.ts';
import { isObject, type Schema, schemaFault } from './local-schema.ts';
import type { LocalStream, LocalStreamStats } from './local-stream.ts';

/** What a stand-in tells of itself to tests and people: `GET /stand-in`. */
export interface LocalView {
  readonly serial: string;
  /** The inventory that runs, null when none does. */
  readonly radio: RunningInventory | null;
  readonly presets: readonly string[];
  /** The preset that starts by itself after a power cut. */
  readonly startsAgain: string | null;
  /** Calls of the interface since the process began, by `METHOD path`; those that a fault met count too. */
  readonly calls: Readonly<Record<string, number>>;
  /** How often power came on, from 1. */
  readonly starts: number;
  readonly stream: LocalStreamStats;
  readonly faults: object;
}

export interface LocalDeskOptions {
  readonly serial: string;
  readonly user: string;
  readonly password: string;
  readonly power: () => LocalPower;
  readonly files: LocalFiles;
  readonly faults: FaultDealer;
  readonly stream: LocalStream;
  readonly log: (line: string) => void;
}

/** A hundred presets of this size are still a file that is written at once. */
const BODY_MAX_BYTES = 128 * 1024;
const FILE_MAX_BYTES = 64 * 1024;
const IDENTITY_FILE = /^\/api\/v1\/system\/cap\/files\/rw_dir\/([^/]+)$/;
const CERTIFICATES = /^\/api\/v1\/system\/certificates\/(?:ca|tls)\/certs$/;
const STREAM = '/api/v1/data/stream';
const REBOOT = '/api/v1/system/reboot';
const CONTROL = '/stand-in';

const unauthorised: LocalAnswer = refused(401, { message: 'Unauthorized' });
const tooLarge: LocalAnswer = refused(413, { message: 'Payload Too Large' });
const busyStream: LocalAnswer = refused(503, { message: 'Too many streams are open' });
const rebootSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    rebootMs: { type: 'integer', minimum: 0, maximum: 600_000 },
    lose: { type: 'string', enum: ['running', 'settings'] },
  },
};

/** One request on its way through the desk. */
interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

/** Takes the calls of a stand-in's HTTPS server: credentials, faults on demand, then what the reader answers. */
export class LocalDesk {
  readonly #options: LocalDeskOptions;
  readonly #calls = new CallCounts();

  constructor(options: LocalDeskOptions) {
    this.#options = options;
  }

  view(): LocalView {
    const { serial, power, faults, stream } = this.#options;
    const { reader, starts } = power();
    const { presets, running } = reader.state();
    return {
      serial,
      radio: reader.running,
      presets: presets.map(({ id }) => id),
      startsAgain: running,
      calls: this.#calls.list(),
      starts,
      stream: stream.stats,
      faults: faults.pending,
    };
  }

  /** Answers one request; what breaks on the way breaks its connection only. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#serve(request, response);
    } catch (error) {
      if (!request.destroyed) this.#options.log(`stand-in ${this.#options.serial}: ${String(error)}`);
      response.destroy();
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const [path = ''] = url.split('?', 1);
    const control = path === CONTROL || path.startsWith(`${CONTROL}/`);
    if (!control) this.#calls.add(method, path);
    const { user, password, faults } = this.#options;
    const locked = faults.refuses && !control;
    if (locked || !isAuthorised(request, user, password)) {
      // Before the body is read: a stranger's is not worth reading.
      return writeAnswer(response, unauthorised, { close: true });
    }
    const body = await readBody(request, IDENTITY_FILE.test(path) ? FILE_MAX_BYTES : BODY_MAX_BYTES);
    if (body === null) return writeAnswer(response, tooLarge, { close: true });
    const call = { request, response, method, path, body };
    if (control) return writeAnswer(response, this.#control(call));
    await this.#meetFate(call, faults.deal(method, path));
  }

  async #meetFate(call: Call, fate: Fate): Promise<void> {
    const { response } = call;
    const power = this.#options.power();
    const { starts } = power;
    await pause(fate.delayBeforeMs);
    // The power went while the call waited: it never reaches the reader that is there now.
    const gone = power.starts !== starts || !power.isOn;
    if (gone || fate.drop === 'before') return void response.destroy();
    if (fate.fail) return writeAnswer(response, refused(fate.fail.status, { message: fate.fail.message }));
    const { stream } = this.#options;
    if (call.method === 'GET' && call.path === STREAM) {
      return stream.isFull ? writeAnswer(response, busyStream) : stream.add(response);
    }
    const answer = await this.#effect(call);
    await pause(fate.delayAfterMs);
    if (fate.drop === 'after') response.destroy();
    else writeAnswer(response, answer);
    if (call.path === REBOOT && answer.status === 202) whenClosed(response, () => void power.reboot());
  }

  /** Does it, and has it on disk before the answer. */
  async #effect(call: Call): Promise<LocalAnswer> {
    const { power, files } = this.#options;
    const name = call.method === 'PUT' ? IDENTITY_FILE.exec(call.path)?.[1] : undefined;
    try {
      if (name !== undefined) return await this.#takeFile(name, call.body);
      const { reader } = power();
      const answer = this.#ask(call);
      if (call.method !== 'GET') await files.save(reader.state());
      return answer;
    } catch (error) {
      return refused(500, { message: 'The settings could not be saved', detail: String(error) });
    }
  }

  async #takeFile(name: string, content: Buffer): Promise<LocalAnswer> {
    if (!isIdentityFile(name)) return unknownPath;
    await this.#options.files.saveIdentityFile(name, content);
    return done;
  }

  #ask({ request, method, path, body }: Call): LocalAnswer {
    const { reader } = this.#options.power();
    const contentType = request.headers['content-type'];
    if (CERTIFICATES.test(path) && !contentType?.startsWith('application/json')) {
      const upload = body.length === 0 ? undefined : uploadOf(contentType, body);
      return reader.handle({ method, path, ...(upload ? { upload } : {}) });
    }
    const json = parsed(body);
    return json === null ? notJson : reader.handle({ method, path, body: json.value });
  }

  #control({ method, path, body }: Call): LocalAnswer {
    if (method === 'GET' && path === CONTROL) return found(this.view());
    const json = parsed(body);
    if (json === null) return notJson;
    if (method === 'PUT' && path === `${CONTROL}/faults`) return this.#setFaults(json.value ?? {});
    if (method === 'POST' && path === `${CONTROL}/reboot`) return this.#reboot(json.value ?? {});
    return unknownPath;
  }

  #setFaults(value: unknown): LocalAnswer {
    const fault = faultsFault(value);
    if (fault !== null || !isFaults(value))
      return badRequest(fault ?? { path: '', reason: 'is no set of faults' });
    this.#options.faults.set(value);
    return done;
  }

  #reboot(value: unknown): LocalAnswer {
    const fault = schemaFault(rebootSchema, value);
    if (fault !== null || !isReboot(value)) return badRequest(fault ?? { path: '', reason: 'is no reboot' });
    // After the answer: the reboot cuts this connection too.
    setImmediate(() => void this.#options.power().reboot(value));
    return { status: 202 };
  }
}

const notJson: LocalAnswer = badRequest({ path: '', reason: 'is not JSON' });

/** After the answer has left, or the caller has. */
function whenClosed(response: ServerResponse, then: () => void): void {
  if (response.destroyed) then();
  else response.once('close', then);
}

function isReboot(value: unknown): value is RebootOptions {
  return isObject(value) && schemaFault(rebootSchema, value) === null;
}

/** The JSON value of a body, undefined for an empty one; null for what is no JSON. */
function parsed(body: Buffer): { readonly value: unknown } | null {
  if (body.length === 0) return { value: undefined };
  try {
    return { value: JSON.parse(body.toString()) };
  } catch {
    return null;
  }
}

function pause(ms: number): Promise<void> | undefined {
  return ms === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, ms));
}
