import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { loadIdentity } from '../device/identity.ts';
import type { ZoneKind } from '../domain/zone.ts';
import type { Authority } from '../pki/authority.ts';
import type { SimulatedReader } from '../simulator/simulation.ts';
import { enrolDevice } from '../store/enrol.ts';
import { firstSite, ofOrg } from '../store/of-org.ts';
import type { Store, Tx } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { provision } from './provision.ts';

/** What the command line needs of the simulator. */
export { type SimulatedReader, type Simulation, startSimulation } from '../simulator/simulation.ts';

/** Serials that begin so are virtual readers. */
const prefixes = ['DEMO', 'SIM'] as const;

export interface VirtualReadersOptions {
  readonly store: Store;
  readonly authority: Authority;
  readonly dataDir: string;
  readonly orgId: string;
  /** What their serials begin with. */
  readonly prefix: (typeof prefixes)[number];
  readonly count: number;
  readonly now: number;
}

/** A zone for each port of the virtual readers, in the order tags walk through them. */
const zonePlan: readonly { readonly name: string; readonly kind: ZoneKind }[] = [
  { name: 'Dock door', kind: 'portal' },
  { name: 'Receiving', kind: 'staging' },
  { name: 'Shelf A', kind: 'storage' },
  { name: 'Shelf B', kind: 'storage' },
];

const PORTS_USED = 2;

/**
 * Registers virtual readers as a technician would real ones: certificate and identity files, claim, zones, ports.
 * What exists already from an earlier run is used again.
 */
export async function virtualReaders(options: VirtualReadersOptions): Promise<readonly SimulatedReader[]> {
  refuseRealReaders(options);
  const readers: SimulatedReader[] = [];
  for (let index = 0; index < options.count; index++) {
    readers.push(await virtualReader(options, index));
  }
  return readers;
}

/** Made-up reads among real ones would make the answers worthless. */
function refuseRealReaders({ store, dataDir }: VirtualReadersOptions): void {
  for (const { key: serial } of store.range(tables.devices)) {
    if (prefixes.some((prefix) => serial.startsWith(`${prefix}-`))) continue;
    throw new Error(
      `${dataDir} has real readers (${serial}); for virtual ones choose another folder with TAGKEEP_DATA_DIR and TAGKEEP_CERTS_DIR`,
    );
  }
}

/** A reader that was provisioned into `dir`, as the simulator plays it. Throws one line that names the file. */
export function provisionedReader(dir: string): SimulatedReader {
  const { serial, ...identity } = loadIdentity(dir);
  return { serial, identity };
}

async function virtualReader(options: VirtualReadersOptions, index: number): Promise<SimulatedReader> {
  const { store, dataDir, prefix } = options;
  const serial = `${prefix}-${String(index + 1).padStart(3, '0')}`;
  const dir = virtualDir(dataDir, serial);
  const ports = Array.from({ length: PORTS_USED }, (_, i) => i + 1);
  const known = store.get(tables.devices, serial)?.state === 'claimed' ? tryIdentity(dir) : null;
  if (known) return { serial, identity: known, ports };
  await provision(options, {
    serial,
    model: 'Virtual R700',
    firmware: '10.0.0',
    keyType: 'ecdsa',
    dir,
    readerUser: 'root',
    readerPassword: 'virtual',
    orgId: options.orgId,
    now: options.now,
  });
  await store.write((tx) => enrol(tx, options, { serial, index }));
  return { serial, identity: loadIdentity(dir), ports };
}

/** Where a virtual reader's identity is. */
export function virtualDir(dataDir: string, serial: string): string {
  return join(dataDir, 'virtual', serial);
}

function tryIdentity(dir: string) {
  try {
    return loadIdentity(dir);
  } catch {
    return null;
  }
}

function enrol(tx: Tx, { orgId, now }: VirtualReadersOptions, one: { serial: string; index: number }): void {
  const device = tx.get(tables.devices, one.serial);
  if (!device || device.state === 'claimed') return;
  const name = `Virtual reader ${one.index + 1}`;
  const { readerId } = enrolDevice(tx, device, { orgId, name, now, newId: randomUUID });
  const antennas = tx.get(tables.antennas, [orgId, readerId]) ?? [];
  const mapped = antennas.map((antenna) => {
    if (antenna.port > PORTS_USED) return { ...antenna, enabled: false };
    return { ...antenna, zoneId: zoneFor(tx, orgId, one.index * PORTS_USED + antenna.port - 1) };
  });
  tx.put(tables.antennas, [orgId, readerId], mapped);
}

/** The zone of the nth port: by name, so that a second run finds it again. */
function zoneFor(tx: Tx, orgId: string, nth: number): string {
  const plan = zonePlan[nth % zonePlan.length] ?? { name: 'Shelf', kind: 'storage' as const };
  const round = Math.floor(nth / zonePlan.length);
  const name = round === 0 ? plan.name : `${plan.name} ${round + 1}`;
  const known = ofOrg(tx, tables.zones, orgId).find((zone) => zone.name === name);
  if (known) return known.id;
  const siteId = firstSite(tx, orgId);
  const zone = {
    id: randomUUID(),
    no: tx.next('lastZoneNo'),
    siteId,
    name,
    kind: plan.kind,
    locationPolicy: null,
  };
  tx.put(tables.zones, [orgId, zone.id], zone);
  return zone.id;
}
