import { topicOf } from '../contract/topics.ts';
import { clientIdOf } from '../device/broker-link.ts';
import type { IdentityFile } from './push-files.ts';
import { type BrokerAddress, PushError } from './push-target.ts';
import {
  isDone,
  isUnknownCall,
  objectIn,
  type ReaderRest,
  type RestAnswer,
  type RestBody,
  type RestRequest,
} from './reader-rest.ts';

const CERTIFICATES = '/api/v1/system/certificates';
const SETTINGS = '/api/v1/mqtt';
/** Events kept by the reader while the broker is away, and sent unacknowledged: enough for an outage, and for its end. */
const EVENT_BUFFER = 100_000;
const EVENTS_IN_FLIGHT = 100;
const KEEP_ALIVE_SECONDS = 30;
const CA_ALREADY_THERE = 409;

/** What the reader's own MQTT client is set up with. */
interface MqttClientRequest {
  readonly serial: string;
  readonly broker: BrokerAddress;
  readonly files: readonly IdentityFile[];
}

/**
 * Sets up the reader's own MQTT client: authority, client certificate with its key, the two assigned to it, then its
 * settings as a whole. Answers null when that is done, else the path of the first call this reader does not have: then
 * nothing of it is in use. A refusal is a `PushError`.
 */
export async function setUpMqttClient(rest: ReaderRest, request: MqttClientRequest): Promise<string | null> {
  try {
    const known = objectIn((await having(rest, { method: 'GET', path: SETTINGS })).text);
    await installAuthority(rest, request.files);
    const certId = await installCertificate(rest, request.files);
    const service = `${CERTIFICATES}/tls/services/mqtt-client`;
    await having(rest, { method: 'PUT', path: service, body: json({ certId }) });
    const settings = mqttSettings(request, Object.hasOwn(known, 'connectMessage'));
    await having(rest, { method: 'PUT', path: SETTINGS, body: json(settings) });
    return null;
  } catch (error) {
    if (error instanceof UnknownCall) return error.message;
    throw error;
  }
}

class UnknownCall extends Error {}

/** An answer of success from a call that not every firmware has. */
async function having(rest: ReaderRest, request: RestRequest): Promise<RestAnswer> {
  const answer = await rest.call(request);
  if (isDone(answer)) return answer;
  throw isUnknownCall(answer) ? new UnknownCall(request.path) : rest.refusal(request, answer);
}

async function installAuthority(rest: ReaderRest, files: readonly IdentityFile[]): Promise<void> {
  const path = `${CERTIFICATES}/ca/certs`;
  const request = { method: 'POST', path, body: await form('ca.crt', pem(files, 'ca.crt')) } as const;
  const answer = await rest.call(request);
  if (isDone(answer) || answer.status === CA_ALREADY_THERE) return;
  throw isUnknownCall(answer) ? new UnknownCall(path) : rest.refusal(request, answer);
}

/** Certificate and key as one PEM file; answers the number the reader gave them. */
async function installCertificate(rest: ReaderRest, files: readonly IdentityFile[]): Promise<number> {
  const path = `${CERTIFICATES}/tls/certs`;
  const pair = `${pem(files, 'client.crt').trimEnd()}\n${pem(files, 'client.key')}`;
  const { text } = await having(rest, { method: 'POST', path, body: await form('client.pem', pair) });
  const certId = certIdIn(text);
  if (certId !== null) return certId;
  throw new PushError(`the answer to POST ${path} has no certId, so the certificate cannot be put in use`);
}

/** Some firmware answers the object, some a list with it. */
function certIdIn(text: string): number | null {
  const answer = objectIn(text);
  const certId = 'certId' in answer ? answer.certId : objectIn(JSON.stringify(answer[0])).certId;
  return typeof certId === 'number' && Number.isSafeInteger(certId) ? certId : null;
}

/** The settings as a whole, for a PUT replaces them; every other member has its factory value again. */
function mqttSettings({ serial, broker }: MqttClientRequest, hasConnectMessage: boolean): object {
  return {
    active: true,
    brokerHostname: broker.host,
    brokerPort: broker.port,
    clientId: clientIdOf(serial),
    cleanSession: false,
    tlsEnabled: true,
    eventTopic: topicOf(serial, 'events'),
    eventQualityOfService: 1,
    eventBufferSize: EVENT_BUFFER,
    eventPendingDeliveryLimit: EVENTS_IN_FLIGHT,
    // Off from the factory, and then the will of a dead connection never goes out.
    keepAliveIntervalSeconds: KEEP_ALIVE_SECONDS,
    willTopic: topicOf(serial, 'status'),
    willMessage: 'connection lost',
    willQualityOfService: 1,
    // Older firmware refuses what it does not know.
    ...(hasConnectMessage && { connectMessage: 'connected' }),
  };
}

function pem(files: readonly IdentityFile[], name: string): string {
  return files.find((file) => file.name === name)?.content.toString('utf8') ?? '';
}

function json(value: object): RestBody {
  return { type: 'application/json', content: JSON.stringify(value) };
}

/** A form with one file, as the reader takes certificates. */
async function form(name: string, content: string): Promise<RestBody> {
  const data = new FormData();
  data.append('certFile', new Blob([content], { type: 'application/x-pem-file' }), name);
  const encoded = new Response(data);
  return {
    type: encoded.headers.get('content-type') ?? '',
    content: Buffer.from(await encoded.arrayBuffer()),
  };
}
