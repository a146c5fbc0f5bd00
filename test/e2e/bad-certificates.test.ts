import type { ConnectionOptions, SecureVersion } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BadCertificate, badNames, notOnRecord, refusedByTls } from '../support/bad-certificates.ts';
import { BesideControl } from '../support/beside-control.ts';
import type { ClientIdentity } from '../support/certificate-bench.ts';
import { metric } from '../support/rest-pages.ts';
import { attempt } from '../support/tls-attempt.ts';

const versions: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3'];
/** Lines of one kind that the log takes in a minute. */
const LINES_PER_MINUTE = 20;

const house = new BesideControl();
const made = new Map<BadCertificate, Promise<ClientIdentity>>();

beforeAll(() => house.open(), 60_000);
afterAll(() => house.close());

/** Made once, shown in every version of TLS. */
function identityOf(bad: BadCertificate): Promise<ClientIdentity> {
  const identity = made.get(bad) ?? bad.make(house.bench);
  made.set(bad, identity);
  return identity;
}

/** Shows a certificate, with a read of the control reader right behind CONNECT: nothing of it may be taken. */
async function show(tls: ConnectionOptions, serial = house.reader.serial) {
  const epc = house.nextEpc();
  const lines = house.linesFromNow();
  const outcome = await attempt({ url: house.endpoints.mqtts, tls, serial, epc });
  await house.undisturbed();
  expect(await house.isStored(epc)).toBe(false);
  return { outcome, lines };
}

async function showBad(bad: BadCertificate, version: SecureVersion) {
  return show({ ...(await identityOf(bad)), ...bad.tls, minVersion: version, maxVersion: version });
}

const inTls = { returnCode: null, closed: true, acknowledged: false, resumed: false };
const inConnack = { returnCode: 5, closed: true, acknowledged: false, resumed: false };

describe.each(versions)('in %s TLS does not let through a client that shows', (version) => {
  beforeAll(() => house.restart());

  test.each(refusedByTls)('$what', async (bad) => {
    const { outcome, lines } = await showBad(bad, version);
    expect(outcome).toEqual(inTls);
    expect(await lines(1)).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'TLS handshake failed',
        address: '127.0.0.1',
        error: matching(bad.says),
      }),
    ]);
  });
});

describe.each(versions)('in %s CONNACK 5 is the answer to a certificate', (version) => {
  beforeAll(() => house.restart());

  test.each(badNames)('$what', (bad) => refused(bad, version));
});

describe.each(versions)('in %s CONNACK 5 is the answer to the right name in a certificate', (version) => {
  beforeAll(() => house.restart());

  test.each(notOnRecord)('$what', (bad) => refused(bad, version));
});

async function refused(bad: BadCertificate, version: SecureVersion): Promise<void> {
  const { outcome, lines } = await showBad(bad, version);
  expect(outcome).toEqual(inConnack);
  expect(await lines(1)).toEqual([
    expect.objectContaining({
      level: 'warn',
      msg: 'connection refused',
      address: '127.0.0.1',
      reason: matching(bad.says),
    }),
  ]);
}

function matching(says: string | RegExp): unknown {
  return typeof says === 'string' ? says : expect.stringMatching(says);
}

describe('the certificate on record', () => {
  beforeAll(() => house.restart());

  test('is refused in TLS 1.1', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
    const { outcome, lines } = await show({ ...house.ownIdentity(), ...old });
    expect(outcome).toEqual(inTls);
    expect(await lines(1)).toMatchObject([{ error: 'the client offers nothing newer than TLS 1.1' }]);
  });

  test("opens no other reader's topics: acknowledged, dropped, counted, and not a word in the log", async () => {
    const before = await metric(house.endpoints, 'tagkeep_broker_publishes_foreign_total');
    const { outcome, lines } = await show(house.ownIdentity(), house.bench.other.serial);
    expect(outcome).toEqual({ returnCode: 0, closed: false, acknowledged: true, resumed: false });
    expect(await metric(house.endpoints, 'tagkeep_broker_publishes_foreign_total')).toBe(before + 1);
    expect(await lines(0)).toEqual([]);
  });
});

test('a flood of bad certificates does not flood the log, and the control reader goes on', async () => {
  await house.restart();
  const [stranger] = refusedByTls.filter(({ what }) => what.includes('for servers only'));
  const [unknown] = notOnRecord;
  if (!stranger || !unknown) throw new Error('the tables have these rows');
  const lines = house.linesFromNow();
  for (const bad of [stranger, unknown])
    for (let count = 0; count < LINES_PER_MINUTE + 5; count++)
      await attempt({
        ...{ url: house.endpoints.mqtts, serial: house.reader.serial, epc: house.nextEpc() },
        tls: await identityOf(bad),
      });
  await house.undisturbed();
  expect(await metric(house.endpoints, 'tagkeep_broker_tls_errors_total')).toBe(LINES_PER_MINUTE + 5);
  expect(await metric(house.endpoints, 'tagkeep_broker_connects_refused_total')).toBe(LINES_PER_MINUTE + 5);
  expect(await lines(2 * LINES_PER_MINUTE)).toHaveLength(2 * LINES_PER_MINUTE);
});

test('after all that the store has the reads of the control reader and no others', async () => {
  expect(await house.storedEpcs()).toEqual(house.sentEpcs());
});
