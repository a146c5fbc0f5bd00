import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeClaimCode } from '../../src/domain/claim-code.ts';
import {
  allCertificates,
  CERTIFICATE_SOON_MS,
  certificateState,
  certificatesBySerial,
  certificatesOf,
  currentCertificate,
  daysLeft,
  nextRevocationListNo,
  revokeCertificates,
} from '../../src/store/certificates.ts';
import { lastDisconnectNo, recommissionDevice, revokeDevice } from '../../src/store/device-states.ts';
import type { CertificateRecord, DeviceRecord } from '../../src/store/records.ts';
import { tables } from '../../src/store/tables.ts';
import { device } from '../support/ingest-house.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const NOW = 1_772_442_937_412;
const DAY = 86_400_000;

let folder: StoreFolder;
beforeEach(() => {
  folder = storeFolder();
});
afterEach(() => folder.close());

const random = (bytes: number): Uint8Array => Uint8Array.from({ length: bytes }, (_, i) => (i * 37) % 251);
const certificate = (serial: string, more: Partial<CertificateRecord> = {}): CertificateRecord => ({
  serial,
  fingerprint256: 'AA',
  notBefore: 0,
  notAfter: NOW + 1000 * DAY,
  revokedAt: null,
  ...more,
});

async function put(
  devices: readonly DeviceRecord[],
  certificates: Readonly<Record<string, CertificateRecord>> = {},
): Promise<void> {
  await folder.store.write((tx) => {
    for (const one of devices) tx.put(tables.devices, one.serial, one);
    for (const [no, one] of Object.entries(certificates)) tx.put(tables.certificates, no, one);
  });
}

const deviceNow = (serial = 'R1'): DeviceRecord => {
  const found = folder.store.get(tables.devices, serial);
  if (!found) throw new Error(`${serial} is registered`);
  return found;
};
const revokedAt = (no: string) => folder.store.get(tables.certificates, no)?.revokedAt;

describe('how a certificate stands', () => {
  it.each([
    [{ notAfter: NOW + CERTIFICATE_SOON_MS + 1 }, 'valid', 90],
    [{ notAfter: NOW + CERTIFICATE_SOON_MS }, 'expiring', 90],
    [{ notAfter: NOW + 1 }, 'expiring', 0],
    [{ notAfter: NOW }, 'expired', 0],
    [{ notAfter: NOW - 1 }, 'expired', -1],
    [{ notAfter: NOW + 1000 * DAY, revokedAt: 1 }, 'revoked', 1000],
    [{ notAfter: NOW - 1, revokedAt: 1 }, 'revoked', -1],
  ])('%j: %s, %i days left', (more, state, days) => {
    const one = certificate('R1', more);
    expect(certificateState(one, NOW)).toBe(state);
    expect(daysLeft(one.notAfter, NOW)).toBe(days);
  });

  it('for a reader the one counts that ends last of those not revoked', async () => {
    await put([], {
      A1: certificate('R1', { notAfter: NOW + 1 }),
      A2: certificate('R1', { notAfter: NOW + 3, revokedAt: 5 }),
      A3: certificate('R1', { notAfter: NOW + 2 }),
      B1: certificate('R2'),
    });
    const own = certificatesOf(folder.store, 'R1');
    expect(own.map((one) => one.serialNumber)).toEqual(['A1', 'A2', 'A3']);
    expect(currentCertificate(own)?.serialNumber).toBe('A3');
    expect(currentCertificate([])).toBeUndefined();
    expect([...certificatesBySerial(folder.store)].map(([serial, all]) => [serial, all.length])).toEqual([
      ['R1', 3],
      ['R2', 1],
    ]);
  });

  it('all of them come, each once, in slices', async () => {
    const many = Array.from({ length: 1234 }, (_, n) => [
      `4${String(n).padStart(31, '0')}`,
      certificate('R1'),
    ]);
    await put([], Object.fromEntries(many));
    const seen: string[] = [];
    for await (const one of allCertificates(folder.store)) seen.push(one.serialNumber);
    expect(seen).toEqual(many.map(([no]) => no));
  });
});

describe('revoking a device', () => {
  const claimed = device('R1', { state: 'claimed', orgId: 'o', readerId: 'r', claimedAt: 1 });
  const revoke = (how: { broker?: boolean; disconnect?: boolean }) =>
    folder.store.write((tx) =>
      revokeDevice(tx, deviceNow(), { broker: false, disconnect: false, now: NOW, ...how }),
    );

  it('in the service refuses its data and revokes no certificate', async () => {
    await put([claimed], { A1: certificate('R1') });
    expect(await revoke({})).toMatchObject({ isNew: true, certificates: [] });
    expect(deviceNow()).toEqual({ ...claimed, dataRevoked: true });
    expect(revokedAt('A1')).toBeNull();
    expect(await revoke({})).toMatchObject({ isNew: false });
  });

  it('on the broker revokes every certificate of its own, once', async () => {
    await put([claimed], {
      A1: certificate('R1'),
      A2: certificate('R1', { revokedAt: 7 }),
      B1: certificate('R2'),
    });
    expect(await revoke({ broker: true })).toMatchObject({ isNew: true, certificates: ['A1'] });
    expect(deviceNow()).toEqual({ ...claimed, dataRevoked: true, connectRevoked: true });
    expect(['A1', 'A2', 'B1'].map(revokedAt)).toEqual([NOW, 7, null]);
    expect(await revoke({ broker: true })).toMatchObject({ isNew: false, certificates: [] });
    expect(await revoke({})).toMatchObject({ isNew: false, device: { connectRevoked: true } });
  });

  it('asks for a cut each time it is told to, under a higher number', async () => {
    await put([claimed]);
    expect(lastDisconnectNo(folder.store)).toBe(0);
    await revoke({ broker: true, disconnect: true });
    expect(deviceNow().disconnectNo).toBe(1);
    expect(await revoke({ broker: true, disconnect: true })).toMatchObject({ isNew: false });
    expect(deviceNow().disconnectNo).toBe(2);
    expect(lastDisconnectNo(folder.store)).toBe(2);
    await revoke({ broker: true });
    expect(deviceNow().disconnectNo).toBe(2);
  });
});

describe('provisioning takes a device back into service', () => {
  const again = () =>
    folder.store.write((tx) => {
      tx.put(tables.certificates, 'NEW', certificate('R1'));
      return recommissionDevice(tx, deviceNow(), { certificate: 'NEW', now: NOW, random });
    });

  it('a withdrawn device that still has a reader is claimed again, whole', async () => {
    const claimed = device('R1', { state: 'claimed', orgId: 'o', readerId: 'r', claimedAt: 1 });
    await put([{ ...claimed, state: 'withdrawn' }]);
    expect(await again()).toBeNull();
    expect(deviceNow()).toEqual({ ...claimed, provisionedAt: NOW });
  });

  it.each(['registered', 'released', 'withdrawn'] as const)(
    'one that is %s without a reader waits for its claim under a new code; the old one is void',
    async (state) => {
      await put([
        device('R1', { state, claimCode: makeClaimCode(() => new Uint8Array(32).fill(9)).canonical }),
      ]);
      const code = await again();
      expect(deviceNow()).toMatchObject({ state: 'registered', claimCode: code?.canonical, orgId: null });
      expect(folder.store.get(tables.deviceByClaimCode, code?.canonical ?? '')).toBe('R1');
    },
  );

  it('one revoked in the service has its data taken again, and its older certificates stay valid', async () => {
    await put([device('R1', { dataRevoked: true })], { A1: certificate('R1') });
    await again();
    expect(deviceNow()).toMatchObject({ dataRevoked: false, connectRevoked: false });
    expect(revokedAt('A1')).toBeNull();
  });

  it('one revoked on the broker may connect again with the new certificate and no older one', async () => {
    await put([device('R1', { dataRevoked: true, connectRevoked: true })], { A1: certificate('R1') });
    await again();
    expect(deviceNow()).toMatchObject({ dataRevoked: false, connectRevoked: false });
    expect(['A1', 'NEW'].map(revokedAt)).toEqual([NOW, null]);
  });
});

it('revoking leaves the certificate out that is excepted', async () => {
  await put([], { A1: certificate('R1'), A2: certificate('R1') });
  const revoked = await folder.store.write((tx) => revokeCertificates(tx, 'R1', { now: NOW, except: 'A2' }));
  expect(revoked).toEqual(['A1']);
});

it('numbers of revocation lists grow, whatever the clock and a restored backup do', async () => {
  const next = (now: number) => folder.store.write((tx) => nextRevocationListNo(tx, now));
  const first = await next(NOW);
  expect(first).toBe(Math.floor(NOW / 1000));
  expect(await next(NOW)).toBe(first + 1);
  expect(await next(0)).toBe(first + 2);
  expect(await next(NOW + 10_000)).toBe(first + 10);
});
