import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCertificateHealth, expiryWarnings } from '../../src/app/certificate-health.ts';
import type { CertificateRecord } from '../../src/store/records.ts';
import { tables } from '../../src/store/tables.ts';
import { device } from '../support/ingest-house.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 2, 2);

let folder: StoreFolder;
let now: number;
beforeEach(() => {
  folder = storeFolder();
  now = START;
});
afterEach(() => folder.close());

async function put(no: string, serial: string, more: Partial<CertificateRecord>): Promise<void> {
  const record = {
    serial,
    fingerprint256: 'AA',
    notBefore: 0,
    notAfter: START + 1000 * DAY,
    revokedAt: null,
  };
  await folder.store.write((tx) => tx.put(tables.certificates, no, { ...record, ...more }));
}

const health = () =>
  createCertificateHealth({
    store: folder.store,
    now: () => now,
    caNotAfter: START + 9999 * DAY,
    serverNotAfter: START + 800 * DAY,
    webNotAfter: null,
  });

describe("the readers' certificates", () => {
  it('each has one state; one that a later one of its reader replaces is superseded', async () => {
    await put('A1', 'R1', { notAfter: START + DAY });
    await put('A2', 'R1', {});
    await put('B1', 'R2', { notAfter: START + 90 * DAY });
    await put('C1', 'R3', { notAfter: START - DAY });
    await put('D1', 'R4', { revokedAt: 1 });
    await put('D2', 'R4', { revokedAt: 1, notAfter: START - DAY });
    const { byState } = await health().readers();
    expect(byState).toEqual({ valid: 1, expiring: 1, expired: 1, revoked: 2, superseded: 1 });
  });

  it('the soonest end is that of the reader in service that is left without one first', async () => {
    expect((await health().readers()).soonestEnd).toBeNull();
    await folder.store.write((tx) => {
      for (const [serial, more] of [
        ['R1', {}],
        ['R2', {}],
        ['R3', { state: 'withdrawn' }],
        ['R4', { connectRevoked: true }],
        ['R5', { dataRevoked: true }],
        ['R6', { state: 'registered' }],
      ] as const)
        tx.put(tables.devices, serial, device(serial, { state: 'claimed', ...more }));
    });
    await put('A1', 'R1', { notAfter: START + 10 * DAY });
    await put('A2', 'R1', { notAfter: START + 700 * DAY });
    await put('B1', 'R2', { notAfter: START + 600 * DAY });
    await put('C1', 'R3', { notAfter: START + DAY });
    for (const serial of ['R4', 'R5', 'R6']) await put(serial, serial, { notAfter: START + DAY });
    expect((await health().readers()).soonestEnd).toBe(START + 600 * DAY);
  });

  it('are counted again when one changes, and once a minute as time goes on', async () => {
    const one = health();
    await put('A1', 'R1', { notAfter: START + 1 });
    expect((await one.readers()).byState.expiring).toBe(1);
    now = START + 1;
    expect((await one.readers()).byState.expiring).toBe(1);
    now = START + 60_000;
    expect((await one.readers()).byState.expired).toBe(1);
    await put('A1', 'R1', { revokedAt: now });
    expect((await one.readers()).byState).toMatchObject({ expired: 0, revoked: 1 });
  });

  it('are counted once for all who ask at once', () => {
    const one = health();
    expect(one.readers()).toBe(one.readers());
  });
});

describe("the appliance's own certificates are warned of 90 days before their end", () => {
  it.each([
    [START + 91 * DAY, START + 91 * DAY, []],
    [
      START + 90 * DAY,
      START + 91 * DAY,
      [/^the authority's certificate ends on 2026-05-31T.* \(90 days left\)/],
    ],
    [START + 91 * DAY, START + 61 * DAY, [/^the appliance's own certificate ends on .* \(61 days left\)/]],
    [START - DAY, START - 1, [/-1 days left/, /-1 days left/]],
  ])('%s %s', (caNotAfter, serverNotAfter, expected) => {
    const warnings = expiryWarnings({ caNotAfter, serverNotAfter, webNotAfter: null }, START);
    expect(warnings).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(warnings[index]).toMatch(pattern);
  });
});

describe("the operator's own HTTPS certificate is warned of 30 days before its end", () => {
  const far = { caNotAfter: START + 9999 * DAY, serverNotAfter: START + 800 * DAY };
  it.each([
    [31, []],
    [30, [/^the certificate in https.certFile ends on 2026-04-01T.* \(30 days left\); put a new one/]],
    [-1, [/-1 days left/]],
  ])('%d days left', (days, expected) => {
    const warnings = expiryWarnings({ ...far, webNotAfter: START + days * DAY }, START);
    expect(warnings).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(warnings[index]).toMatch(pattern);
  });
});
