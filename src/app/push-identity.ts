import { oneLine } from '../lib/json-describe.ts';
import { type IdentityFile, NoFileCall, putFiles, readIdentityFiles } from './push-files.ts';
import { setUpMqttClient } from './push-mqtt-client.ts';
import { PushError, type PushTarget } from './push-target.ts';
import { isDone, objectIn, ReaderRest } from './reader-rest.ts';

const TEXT_MAX_LENGTH = 64;
/** The agent needs it (interface "Reader command channel" 6). */
const OLDEST_FIRMWARE = { text: '10.0.0', major: 10 };

/** A reader that answered and is the one that is meant. */
export interface FoundReader {
  readonly target: PushTarget;
  readonly rest: ReaderRest;
  readonly serial: string;
  /** As the reader says them; null when it does not. */
  readonly model: string | null;
  readonly firmware: string | null;
  /** One line each, for people. */
  readonly warnings: readonly string[];
}

export interface Pushed {
  /** Names of the files on the reader, in the order in which they were written. */
  readonly files: readonly string[];
  /** `left`: nobody asked; `unsupported`: its firmware has no call for it. */
  readonly mqttClient: 'set-up' | 'unsupported' | 'left';
  readonly warnings: readonly string[];
}

/**
 * Asks the reader at the bench who it is; nothing on it changes. Refused with a `PushError`: no answer, wrong credentials,
 * another serial than `serial`. For before anything is issued: a mistyped address then costs nothing.
 */
export async function findReader(target: PushTarget, serial: string): Promise<FoundReader> {
  const rest = new ReaderRest(target);
  const system = objectIn((await rest.need({ method: 'GET', path: '/api/v1/system' })).text);
  const own = textIn(system.serialNumber);
  if (own !== serial) {
    const said = own === null ? 'does not say its serial' : `says that its serial is "${own}"`;
    throw new PushError(`${target.origin} ${said}, not "${serial}"; nothing was written to it`);
  }
  const firmware = await firmwareOf(rest);
  const trust =
    `the certificate of ${target.origin} was taken on trust, as readers sign their own: ` +
    `SHA-256 ${rest.fingerprint ?? 'unknown'}`;
  const warnings = [trust, ...firmwareWarnings(firmware)];
  return { target, rest, serial, model: textIn(system.productModel), firmware, warnings };
}

/**
 * Writes the four identity files of `dir` to the reader and, when a broker is named, sets up the reader's own MQTT client
 * (interface "Reader command channel" 7). Refused with a `PushError`; the files stay in `dir`, and a push that was
 * interrupted leaves no usable half of an identity: it is simply done again. The MQTT client is set up even where the
 * reader takes no files, for it does not need them.
 */
export async function pushIdentity(found: FoundReader, dir: string): Promise<Pushed> {
  const { target, rest, serial } = found;
  const files = readIdentityFiles(dir, serial);
  const outcome = await putFiles(rest, target, { files, dir }).catch(unlessNoFileCall);
  const client = await mqttClientOf(found, files).catch((error: unknown) => {
    if (outcome instanceof NoFileCall) throw joined(outcome, `its own MQTT client: ${messageOf(error)}`);
    throw joined(error, `all four files are written, its own MQTT client is not set up`);
  });
  if (outcome instanceof NoFileCall) throw withClient(outcome, client);
  return { files: outcome, ...client };
}

function withClient(error: NoFileCall, { mqttClient, warnings }: MqttClientOutcome): PushError {
  const more = mqttClient === 'set-up' ? ['its own MQTT client is set up'] : warnings;
  return more.reduce((sofar, line) => joined(sofar, line), error);
}

type MqttClientOutcome = Pick<Pushed, 'mqttClient' | 'warnings'>;

async function mqttClientOf(
  { target: { broker, origin }, rest, serial, firmware }: FoundReader,
  files: readonly IdentityFile[],
): Promise<MqttClientOutcome> {
  if (broker === null) return { mqttClient: 'left', warnings: [] };
  const missing = await setUpMqttClient(rest, { serial, broker, files });
  if (missing === null) return { mqttClient: 'set-up', warnings: [] };
  const warning =
    `${origin} has no ${missing} (firmware ${firmware ?? 'unknown'}), so its own MQTT client cannot show a certificate; ` +
    'let the agent send the events (tagkeep agent --forward-events)';
  return { mqttClient: 'unsupported', warnings: [warning] };
}

function unlessNoFileCall(error: unknown): NoFileCall {
  if (error instanceof NoFileCall) return error;
  throw error;
}

function joined(error: unknown, more: string): PushError {
  return new PushError(`${messageOf(error)}; ${more}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Not every firmware tells it; the push does not depend on it. */
async function firmwareOf(rest: ReaderRest): Promise<string | null> {
  const answer = await rest.call({ method: 'GET', path: '/api/v1/system/image' });
  return isDone(answer) ? textIn(objectIn(answer.text).primaryFirmware) : null;
}

function firmwareWarnings(firmware: string | null): readonly string[] {
  if (firmware === null)
    return [`the reader does not say its firmware; the agent needs ${OLDEST_FIRMWARE.text} or later`];
  const major = Number(/^(\d{1,6})(\.|$)/.exec(firmware)?.[1] ?? Number.NaN);
  if (major >= OLDEST_FIRMWARE.major) return [];
  return [`the reader has firmware ${firmware}; the agent needs ${OLDEST_FIRMWARE.text} or later`];
}

function textIn(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? oneLine(text, TEXT_MAX_LENGTH) : null;
}
