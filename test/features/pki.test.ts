import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pkiPages } from '../../src/features/pki/pki-pages.ts';
import {
  type RevocationListDraft,
  RevocationLists,
  type RevocationListsOptions,
} from '../../src/features/pki/revocation-lists.ts';
import { openAuthority } from '../../src/pki/authority.ts';
import { type Store, WriteFailed } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const run = promisify(execFile);
const DAY = 86_400_000;
const START = Date.UTC(2026, 2, 2);

let folder: StoreFolder;
let now: number;
let drafts: RevocationListDraft[];
let lists: RevocationLists;

beforeEach(() => {
  folder = storeFolder();
  now = START;
  drafts = [];
  lists = opened();
});
afterEach(() => folder.close());

/** As after a start; what it signs is noted. */
function opened(more: Partial<RevocationListsOptions> & { before?: () => Promise<void> } = {}) {
  const sign = async (draft: RevocationListDraft): Promise<Buffer> => {
    await more.before?.();
    drafts.push(draft);
    return Buffer.from(JSON.stringify(draft.revoked.map(({ serialNumber }) => serialNumber)));
  };
  return new RevocationLists({ store: folder.store, now: () => now, sign, ...more });
}

async function revoke(
  no: string,
  more: { notAfter?: number; revokedAt?: number | null } = {},
): Promise<void> {
  const record = { serial: 'R1', fingerprint256: 'AA', notBefore: 0, notAfter: START + 1000 * DAY };
  await folder.store.write((tx) => tx.put(tables.certificates, no, { ...record, revokedAt: now, ...more }));
}

const current = async (): Promise<unknown> => JSON.parse((await lists.current()).toString());

describe('the revocation list', () => {
  it('holds every revoked certificate with its date, and none that is not', async () => {
    await revoke('A1');
    await revoke('A2', { revokedAt: null });
    await revoke('A3', { revokedAt: START - DAY });
    expect(await current()).toEqual(['A1', 'A3']);
    expect(drafts[0]?.revoked).toEqual([
      { serialNumber: 'A1', revokedAt: START },
      { serialNumber: 'A3', revokedAt: START - DAY },
    ]);
    expect(drafts[0]).toMatchObject({ thisUpdate: START, nextUpdate: START + 7 * DAY });
  });

  it('is kept until something is revoked, whatever else changes', async () => {
    await current();
    await current();
    await folder.store.write((tx) =>
      tx.put(tables.zones, ['o', 'z'], {
        ...{ id: 'z', no: 1, siteId: 's', name: 'Shelf', kind: 'storage', locationPolicy: null },
      }),
    );
    await revoke('A2', { revokedAt: null });
    expect(await current()).toEqual([]);
    expect(drafts).toHaveLength(1);
    await revoke('A2');
    expect(await current()).toEqual(['A2']);
    expect(drafts).toHaveLength(2);
  });

  it('is made anew once a day, and when the clock was set back', async () => {
    await current();
    now = START + DAY - 1;
    await current();
    expect(drafts).toHaveLength(1);
    now = START + DAY;
    await current();
    expect(drafts).toHaveLength(2);
    now = START;
    await current();
    expect(drafts).toHaveLength(3);
    expect(drafts.map(({ number }) => number)).toEqual(
      drafts.map(({ number }) => number).toSorted((a, b) => a - b),
    );
    expect(new Set(drafts.map(({ number }) => number)).size).toBe(3);
  });

  it('has a higher number after a restart', async () => {
    await current();
    lists = opened();
    await current();
    expect(drafts[1]?.number).toBe((drafts[0]?.number ?? 0) + 1);
  });

  it('drops certificates that ended over a week ago', async () => {
    await revoke('A1', { notAfter: START - 7 * DAY - 1 });
    await revoke('A2', { notAfter: START - 7 * DAY });
    expect(await current()).toEqual(['A2']);
  });

  it('is signed once for however many ask at once', async () => {
    await revoke('A1');
    const answers = await Promise.all(Array.from({ length: 50 }, () => current()));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set(['["A1"]']));
    expect(drafts).toHaveLength(1);
  });

  it('has what was revoked before it was asked for, even while an older one is being signed', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    lists = opened({ before: () => held });
    const first = current();
    // The first has read the table by the time the second write is through.
    await revoke('A1');
    const second = current();
    release();
    await first;
    expect(await second).toEqual(['A1']);
  });

  it('stays the last one while the disk refuses, as long as that is valid; then it is said why', async () => {
    let isFull = false;
    const store: Pick<Store, 'write' | 'range' | 'directoryVersion'> = {
      range: (table, options) => folder.store.range(table, options),
      directoryVersion: () => folder.store.directoryVersion(),
      write: (action) => (isFull ? Promise.reject(new WriteFailed('ENOSPC')) : folder.store.write(action)),
    };
    lists = opened({ store });
    expect(await current()).toEqual([]);
    isFull = true;
    await revoke('A1');
    expect(await current()).toEqual([]);
    now = START + 7 * DAY;
    await expect(current()).rejects.toMatchObject({ refusal: { kind: 'disk-full' } });
    isFull = false;
    expect(await current()).toEqual(['A1']);
  });
});

describe('the pages of the authority', () => {
  const pages = pkiPages({ caCertPem: 'PEM', revocationLists: { current: async () => Buffer.of(0x30) } });

  it('are the certificate as PEM and the list as DER, and nothing else', async () => {
    expect(pages('/pki/ca.crt')).toEqual({
      body: 'PEM',
      contentType: 'application/x-x509-ca-cert',
      cacheControl: 'no-cache',
    });
    const list = pages('/pki/ca.crl');
    expect(typeof list === 'function' && (await list())).toEqual({
      body: Buffer.of(0x30),
      contentType: 'application/pkix-crl',
      cacheControl: 'no-cache',
    });
    for (const path of ['/pki', '/pki/', '/pki/ca.key', '/pki/ca.crt/', '/pki/../pki/ca.crt', '/PKI/ca.crt'])
      expect(pages(path)).toBeNull();
  });
});

describe('with a real authority', () => {
  it('10,000 revoked certificates are listed without holding up the event loop, and openssl takes the list', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tagkeep-crl-'));
    try {
      const authority = await openAuthority({ certsDir: dir, now: Date.now() });
      now = Date.now();
      await folder.store.write((tx) => {
        for (let n = 0; n < 10_000; n++)
          tx.put(tables.certificates, `4${n.toString(16).toUpperCase().padStart(31, '0')}`, {
            ...{ serial: 'R1', fingerprint256: 'AA', notBefore: 0, notAfter: now + DAY, revokedAt: now },
          });
      });
      const real = new RevocationLists({
        store: folder.store,
        now: () => now,
        sign: (draft) => authority.revocationList(draft),
      });
      let longest = 0;
      let last = performance.now();
      const beat = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 1);
      const der = await real.current();
      clearInterval(beat);
      writeFileSync(join(dir, 'ca.crl'), der);
      const check = ['crl', '-inform', 'DER', '-in', join(dir, 'ca.crl'), '-CAfile', join(dir, 'ca.crt')];
      const { stdout, stderr } = await run('openssl', [...check, '-verify', '-noout', '-text'], {
        maxBuffer: 16_000_000,
      });
      expect(stderr).toContain('verify OK');
      expect(stdout.match(/Serial Number:/g)).toHaveLength(10_000);
      // 20 ms is the house's rule; a loaded machine adds what it adds.
      expect(longest).toBeLessThan(150);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }, 60_000);
});
