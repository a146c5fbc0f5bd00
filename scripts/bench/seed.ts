import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstStart } from '../../src/app/first-start.ts';
import { provision } from '../../src/app/provision.ts';
import { antennaNoOf } from '../../src/domain/tag-state.ts';
import { openAuthority } from '../../src/pki/authority.ts';
import { hostNames } from '../../src/pki/host-names.ts';
import { hashApiKey, makeApiKey, putApiKey } from '../../src/store/api-keys.ts';
import { enrolDevice } from '../../src/store/enrol.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openStore, type Store, type Tx } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { blockOf, TagStates } from '../../src/store/tag-states.ts';
import { putVisit } from '../../src/store/visits.ts';
import { epcOf, fleet, serialOf } from './fleet.ts';

/** PEM texts of a certificate and its key. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** An appliance's folders with readers claimed and ports mapped, and what clients need to talk to it. */
export interface Site {
  readonly dataDir: string;
  readonly certsDir: string;
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly ca: string;
  /** The broker's own, used by every target. */
  readonly server: Identity;
  readonly readers: readonly Identity[];
  readonly apiKey: string;
}

/** Makes the folders under `root` the way the appliance and its command line would; with the bench's fleet when no number of readers is given. */
export async function makeSite(root: string, count: number = fleet.readers): Promise<Site> {
  const dataDir = join(root, 'data');
  const certsDir = join(root, 'certs');
  mkdirSync(dataDir, { mode: 0o700 });
  const now = Date.now();
  const authority = await openAuthority({ certsDir, now });
  const { chainPem, keyPem } = await authority.ensureServer({ ...hostNames([]), now });
  const store = openStore(dataDir);
  try {
    await migrate(store);
    await firstStart(store, now);
    const orgId = firstOrg(store);
    const readers: Identity[] = [];
    for (let reader = 0; reader < count; reader++) {
      const dir = join(root, 'readers', serialOf(reader));
      await provision({ store, authority }, request(reader, dir, { orgId, now }));
      readers.push({ cert: await text(dir, 'client.crt'), key: await text(dir, 'client.key') });
    }
    const apiKey = makeApiKey();
    await store.write((tx) => {
      for (let reader = 0; reader < count; reader++) enrol(tx, reader, { orgId, now });
      const key = { id: randomUUID(), orgId, name: 'bench', hash: hashApiKey(apiKey), createdAt: now };
      putApiKey(tx, { ...key, expiresAt: null, revokedAt: null, lastUsedAt: null });
    });
    const files = {
      caFile: join(certsDir, 'ca.crt'),
      certFile: join(root, 'server.crt'),
      keyFile: join(root, 'server.key'),
    };
    return {
      dataDir,
      certsDir,
      ...files,
      ca: authority.caCertPem,
      server: { cert: chainPem, key: keyPem },
      readers,
      apiKey,
    };
  } finally {
    await store.close();
  }
}

function request(reader: number, dir: string, at: { orgId: string; now: number }) {
  const device = { serial: serialOf(reader), model: 'R700', firmware: '10.0.0', keyType: 'ecdsa' } as const;
  return { ...device, dir, readerUser: 'root', readerPassword: 'bench', ...at };
}

function text(dir: string, name: string): Promise<string> {
  return readFile(join(dir, name), 'utf8');
}

function firstOrg(store: Store): string {
  for (const { key } of store.range(tables.orgs, { limit: 1 })) return key;
  throw new Error('no organisation');
}

/** Claims a reader and maps ports 1 and 2 to one zone, 3 and 4 to another. */
function enrol(tx: Tx, reader: number, { orgId, now }: { orgId: string; now: number }): void {
  const device = tx.get(tables.devices, serialOf(reader));
  if (!device) throw new Error(`${serialOf(reader)} is not provisioned`);
  const { readerId: id } = enrolDevice(tx, device, { orgId, name: serialOf(reader), now, newId: randomUUID });
  const zones = [1, 2].map((nth) => zone(tx, orgId, `Zone ${reader * 2 + nth}`));
  const antennas = tx.get(tables.antennas, [orgId, id]) ?? [];
  const mapped = antennas.map((one) => ({
    ...one,
    zoneId: zones[one.port <= 2 ? 0 : 1] ?? null,
    enabled: true,
  }));
  tx.put(tables.antennas, [orgId, id], mapped);
}

function zone(tx: Tx, orgId: string, name: string): string {
  let siteId: string | undefined;
  for (const { key } of tx.range(tables.sites, { start: [orgId], limit: 1 })) siteId = key[1];
  if (!siteId) throw new Error('no site');
  const id = randomUUID();
  const no = tx.next('lastZoneNo');
  tx.put(tables.zones, [orgId, id], { id, no, siteId, name, kind: 'storage', locationPolicy: null });
  return id;
}

const SLICE = 4000;
const LONG_AGO_MS = 30 * 86_400_000;

/**
 * A copy of a site that has known `count` tags since `at` (epoch ms; a month ago when left out), each with a place and one stay on its trail. Written slice by
 * slice in the store's own form: what is measured is the appliance that finds them there.
 */
export async function growSite(
  site: Site,
  root: string,
  { count, at = Date.now() - LONG_AGO_MS }: { readonly count: number; readonly at?: number },
): Promise<Site> {
  const dataDir = join(root, 'data-grown');
  cpSync(site.dataDir, dataDir, { recursive: true });
  const store = openStore(dataDir);
  try {
    for (let from = 1; from <= count; from += SLICE) {
      await store.write((tx) => putTags(tx, { from, to: Math.min(count, from + SLICE - 1), at }));
    }
    await store.write((tx) => tx.put(tables.meta, 'lastTagNo', count));
  } finally {
    await store.close();
  }
  return { ...site, dataDir };
}

function putTags(tx: Tx, { from, to, at }: { from: number; to: number; at: number }): void {
  const orgNo = 1;
  for (let tagNo = from; tagNo <= to; tagNo++) {
    const epc = epcOf(tagNo - 1);
    tx.put(tables.tags, tagNo, { id: randomUUID(), orgNo, epc, createdAt: at });
    tx.put(tables.tagByEpc, [orgNo, epc], tagNo);
    const antennaNo = antennaNoOf((tagNo % fleet.readers) + 1, 1);
    const visit = {
      antennaNo,
      zoneNo: (tagNo % (fleet.readers * 2)) + 1,
      firstAt: at,
      lastAt: at + 1000,
      reads: 12,
    };
    putVisit(tx, tagNo, visit);
  }
  putBlocks(tx, { from, to, at });
}

function putBlocks(tx: Tx, { from, to, at }: { from: number; to: number; at: number }): void {
  const states = new TagStates();
  // A slice may begin within a block: what the slice before wrote there is kept.
  const first = tx.get(tables.tagStates, blockOf(from));
  if (first) states.loadBlock(blockOf(from), first);
  for (let tagNo = from; tagNo <= to; tagNo++) {
    const zoneNo = (tagNo % (fleet.readers * 2)) + 1;
    const antennaNo = antennaNoOf((tagNo % fleet.readers) + 1, 1);
    const state = {
      firstSeenAt: at,
      lastSeenAt: at + 1000,
      zoneNo,
      zoneSince: at,
      zoneSeenAt: at + 1000,
      antennaNo,
    };
    states.set(tagNo, 1, state);
  }
  for (let block = blockOf(from); block <= blockOf(to); block++)
    tx.put(tables.tagStates, block, states.encodeBlock(block));
}
