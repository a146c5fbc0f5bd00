import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrokerLink, clientIdOf } from '../../src/device/broker-link.ts';
import type { Subscription } from '../../src/device/subscription.ts';
import { type BrokerPki, makeBrokerPki } from '../support/broker-certs.ts';
import { type Rig, startRig } from '../support/broker-rig.ts';
import { until } from '../support/wait.ts';

const SERIAL = 'S-1';
let pki: BrokerPki;
let rig: Rig;
beforeAll(async () => {
  pki = makeBrokerPki();
  rig = await startRig(pki);
});
afterAll(async () => {
  await rig.close();
  pki.remove();
});

function linked(subscription: Subscription): { link: BrokerLink; lines: string[] } {
  const lines: string[] = [];
  const { cert, key } = pki.client(SERIAL);
  const link = new BrokerLink({
    ...{
      serial: SERIAL,
      url: `mqtts://localhost:${rig.broker.port}`,
      identity: { ca: pki.ca.cert, cert, key },
    },
    ...{ clientId: clientIdOf(SERIAL, 'A'), will: false, jitter: Math.random, subscription },
    ...{ log: (line: string) => lines.push(line), onOpen: () => {}, onClose: () => {} },
  });
  return { link, lines };
}

describe('the subscription of a link', () => {
  it('is made after every connect, and gets what was kept in between, once and in order', async () => {
    const got: string[] = [];
    let ready = 0;
    const { link } = linked({
      topic: `svc/v1/${SERIAL}/commands`,
      onMessage: (payload) => got.push(JSON.parse(payload.toString()).n),
      onReady: () => (ready += 1),
    });
    await until('the subscription', () => ready === 1);
    await rig.broker.publishCommand(SERIAL, { n: 1 }, { retain: false });
    await until('the first', () => got.length === 1);
    link.cut();
    for (const n of [2, 3]) await rig.broker.publishCommand(SERIAL, { n }, { retain: false });
    link.restore();
    await until('the subscription again', () => ready === 2);
    await until('the others', () => got.length === 3);
    expect(got).toEqual([1, 2, 3]);
    await link.close();
  });

  it('that the broker refuses is said in one line, and asked for again', async () => {
    const topic = 'svc/v1/somebody-else/commands';
    const { link, lines } = linked({ topic, onMessage: () => {}, onReady: () => {} });
    const before = rig.broker.counters.subscriptionsRefused;
    await until('two refusals', () => rig.broker.counters.subscriptionsRefused >= before + 2);
    const line = `reader ${SERIAL}: the broker refuses the subscription to ${topic}; trying again`;
    expect(lines.filter((one) => one.includes('refuses'))).toEqual([line]);
    expect(link.connected).toBe(true);
    await link.close();
  });

  it('has a client id of its own beside the reader', () => {
    expect(clientIdOf('370-10-15-0036', 'A')).toBe('A37010150036');
    expect(clientIdOf('a'.repeat(40), 'A')).toMatch(/^[a-zA-Z0-9]{23}$/);
  });
});
