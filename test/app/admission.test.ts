import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admission } from '../../src/app/admission.ts';
import type { Peer } from '../../src/broker/types.ts';
import { Directory } from '../../src/store/directory.ts';
import type { CertificateRecord, DeviceRecord } from '../../src/store/records.ts';
import { tables } from '../../src/store/tables.ts';
import { device } from '../support/ingest-house.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const peer: Peer = {
  commonName: 'R1',
  certificateSerial: '00AB',
  fingerprint256: 'AA:BB',
  address: '127.0.0.1',
};

const NOW = 1000;

let folder: StoreFolder;
let directory: Directory;

async function record(
  about: Partial<DeviceRecord>,
  certificate: Partial<CertificateRecord> = {},
): Promise<void> {
  await folder.store.write((tx) => {
    tx.put(tables.devices, 'R1', device('R1', about));
    const issued = {
      serial: 'R1',
      fingerprint256: 'AA:BB',
      notBefore: 0,
      notAfter: NOW + 1,
      revokedAt: null,
    };
    tx.put(tables.certificates, '00AB', { ...issued, ...certificate });
  });
}

beforeEach(() => {
  folder = storeFolder();
  directory = new Directory(folder.store);
});

afterEach(() => folder.close());

describe('a certificate of ours may connect', () => {
  it.each([
    ['while its device waits for its claim', { state: 'registered' as const }],
    ['while its device is claimed', { state: 'claimed' as const, orgId: 'o', readerId: 'r' }],
    ['while its device is revoked in the service: only its data is refused', { dataRevoked: true }],
  ])('%s', async (_, about) => {
    await record(about);
    expect(admission(directory, peer, NOW)).toBeNull();
  });

  it('when it is one of several on record for the device', async () => {
    await record({});
    await folder.store.write((tx) =>
      tx.put(tables.certificates, '00CD', {
        serial: 'R1',
        fingerprint256: 'CC:DD',
        notBefore: 0,
        notAfter: NOW + 1,
        revokedAt: null,
      }),
    );
    expect(admission(directory, peer, NOW)).toBeNull();
    expect(
      admission(directory, { ...peer, certificateSerial: '00CD', fingerprint256: 'CC:DD' }, NOW),
    ).toBeNull();
  });
});

describe('a certificate may not connect', () => {
  it('whose name is no registered serial', async () => {
    expect(admission(directory, peer, NOW)).toBe('no device with serial R1 is registered');
    await record({});
    expect(admission(directory, { ...peer, commonName: '__proto__' }, NOW)).toMatch(
      /no device with serial __proto__/,
    );
  });

  it('that is not on record, though our authority signed it', async () => {
    await record({});
    expect(admission(directory, { ...peer, certificateSerial: '00AC' }, NOW)).toBe(
      'the certificate is not one on record',
    );
  });

  it('that is on record for another device', async () => {
    await record({}, { serial: 'R2' });
    expect(admission(directory, peer, NOW)).toBe('the certificate is not one on record');
  });

  it('that has the serial number of one on record, but is another', async () => {
    await record({}, { fingerprint256: 'EE:FF' });
    expect(admission(directory, peer, NOW)).toBe('the certificate differs from the one on record');
  });

  it('that is revoked', async () => {
    await record({}, { revokedAt: 1 });
    expect(admission(directory, peer, NOW)).toBe('the certificate is revoked');
  });

  it('that has ended: a resumed TLS session is not asked for its dates again', async () => {
    await record({}, { notAfter: NOW + 1 });
    expect(admission(directory, peer, NOW)).toBeNull();
    expect(admission(directory, peer, NOW + 1)).toBe('the certificate has expired');
  });

  it('whose device is revoked on the broker, from the moment that is on record', async () => {
    await record({});
    expect(admission(directory, peer, NOW)).toBeNull();
    await record({ connectRevoked: true });
    expect(admission(directory, peer, NOW)).toBe('the device R1 is revoked on the broker');
  });
});
