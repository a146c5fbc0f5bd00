import { once } from 'node:events';
import { join } from 'node:path';
import tls, { type ConnectionOptions, type SecureVersion } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BesideControl } from '../support/beside-control.ts';
import { revokeCertificate, setDevice } from '../support/change-store.ts';
import { RawClient } from '../support/mqtt-raw.ts';
import { attempt } from '../support/tls-attempt.ts';

const house = new BesideControl();

beforeAll(() => house.open(), 60_000);
afterAll(() => house.close());

interface Way {
  readonly version: SecureVersion;
  readonly how: 'certificate' | 'device';
  readonly says: string;
}

const ways = (['TLSv1.2', 'TLSv1.3'] as const).flatMap((version): readonly Way[] => [
  { version, how: 'certificate', says: 'the certificate is revoked' },
  { version, how: 'device', says: 'the device 370-10-15-0THR is revoked on the broker' },
]);

test.each(ways)(
  'in $version a revoked $how is refused at its next connection, a resumed TLS session too; the open one continues',
  async (way) => {
    const { dir, serial } = await anotherIdentity(`${way.version}-${way.how}`);
    const identity = pinned(house.ownIdentity(dir), way.version);
    const { client: open, session } = await openWithTicket(identity);
    const resuming = { ...identity, session };
    const before = await show(resuming, serial);
    expect(before.outcome).toEqual({ returnCode: 0, closed: false, acknowledged: true, resumed: true });
    expect(before.stored).toBe(true);

    await revoke(way, serial, dir);
    const { cert: _cert, key: _key, ...ticketAlone } = resuming;
    for (const [tried, resumed] of [
      [resuming, true],
      [ticketAlone, true],
      [identity, false],
    ] as const) {
      const { outcome, stored, lines } = await show(tried, serial);
      expect(outcome).toEqual({ returnCode: 5, closed: true, acknowledged: false, resumed });
      expect(stored).toBe(false);
      expect(await lines(1)).toMatchObject([
        { level: 'warn', msg: 'connection refused', serial, reason: way.says },
      ]);
    }
    await open.ping();
    expect(open.closed).toBe(false);

    await house.restart();
    await open.untilClosed();
    const { outcome, stored } = await show(resuming, serial);
    expect(outcome).toEqual({ returnCode: 5, closed: true, acknowledged: false, resumed: false });
    expect(stored).toBe(false);
    await setDevice(house.appliance.dataDir, serial, { connectRevoked: false });
  },
  60_000,
);

test('a revoked certificate leaves the other certificates of the same reader good', async () => {
  const { dir, serial } = await anotherIdentity('second', house.reader.serial);
  await revokeCertificate(house.appliance.dataDir, serial, dir);
  expect((await show(house.ownIdentity(dir), serial)).outcome.returnCode).toBe(5);
  const { outcome, stored } = await show(house.ownIdentity(), serial);
  expect([outcome.returnCode, stored]).toEqual([0, true]);
});

/** One more certificate for a reader in service. */
async function anotherIdentity(folder: string, serial = house.bench.other.serial) {
  const dir = join(house.appliance.root, folder);
  await house.appliance.cliJson(...['reader', 'provision', serial, '--out', dir, '--key-type', 'ecdsa']);
  return { dir, serial };
}

function pinned(identity: ConnectionOptions, version: SecureVersion): ConnectionOptions {
  return { ...identity, minVersion: version, maxVersion: version };
}

function revoke({ how }: Way, serial: string, dir: string): Promise<void> {
  const { dataDir } = house.appliance;
  return how === 'device'
    ? setDevice(dataDir, serial, { connectRevoked: true })
    : revokeCertificate(dataDir, serial, dir);
}

/** A connection that stays, and the ticket its handshake earned. */
async function openWithTicket(options: ConnectionOptions) {
  const { hostname: host, port } = new URL(house.endpoints.mqtts);
  const socket = tls.connect({ host, port: Number(port), servername: 'localhost', ...options });
  // Before or after the end of the handshake, as the version has it.
  const ticket = once(socket, 'session');
  await once(socket, 'secureConnect');
  const client = new RawClient(socket);
  expect(await client.connect({ clientId: 'stays' })).toBe(0);
  // Typed by Node's documentation, not by `once`.
  const [session] = (await ticket) as [Buffer];
  return { client, session };
}

async function show(options: ConnectionOptions, serial: string) {
  const epc = house.nextEpc();
  const lines = house.linesFromNow();
  const outcome = await attempt({ url: house.endpoints.mqtts, tls: options, serial, epc });
  await house.undisturbed();
  return { outcome, lines, stored: await house.isStored(epc) };
}
