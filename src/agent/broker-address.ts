import { isIPv6 } from 'node:net';
import { isDone, type LocalAnswer, membersOf, oneLine, refusalOf } from './local-reader.ts';

export interface BrokerSearch {
  /** GET /mqtt of the reader's local interface. */
  readonly ask: () => Promise<LocalAnswer>;
  readonly delay: (ms: number) => Promise<void>;
  readonly isStopped: () => boolean;
  readonly log: (line: string) => void;
}

const RETRY_MS = 5000;
const DEFAULT_PORT = 8883;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;
const HOST = /^[a-zA-Z0-9._-]{1,253}$/;

/**
 * The broker that the reader's own MQTT client is set to, as `mqtts://host:port`. Asked for until the reader has one, for it may
 * be set later; what is in the way is logged. Null when stopped before.
 */
export async function findBroker({ ask, delay, isStopped, log }: BrokerSearch): Promise<string | null> {
  while (!isStopped()) {
    const found = brokerOf(await ask());
    if ('url' in found) return found.url;
    if (isStopped()) break;
    log(`no broker is known: ${found.problem}; give --broker mqtts://host:port or set it on the reader`);
    await delay(RETRY_MS);
  }
  return null;
}

function brokerOf(answer: LocalAnswer): { readonly url: string } | { readonly problem: string } {
  if (answer.kind === 'away') return { problem: `the reader's local interface: ${answer.reason}` };
  if (!isDone(answer)) return { problem: `the reader's MQTT settings: ${refusalOf(answer)}` };
  const { active, brokerHostname, brokerPort } = membersOf(answer.body);
  const isSet = typeof brokerHostname === 'string' && brokerHostname !== '';
  // Readers leave the factory with an address of this kind, and switched off.
  if (!isSet || (active !== true && LOOPBACK.test(brokerHostname))) {
    return { problem: "the reader's MQTT settings have no broker" };
  }
  if (!HOST.test(brokerHostname) && !isIPv6(brokerHostname)) {
    return { problem: `the reader's MQTT settings have a bad brokerHostname "${oneLine(brokerHostname)}"` };
  }
  const port = Number.isInteger(brokerPort) ? Number(brokerPort) : DEFAULT_PORT;
  const host = isIPv6(brokerHostname) ? `[${brokerHostname}]` : brokerHostname;
  return { url: `mqtts://${host}:${port}` };
}
