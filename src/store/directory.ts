import { limits } from '../domain/limits.ts';
import { antennaNoOf } from '../domain/tag-state.ts';
import type { LocationPolicy, ZoneKind } from '../domain/zone.ts';
import type { ListedCertificate } from './certificates.ts';
import { type Changed, ChangedKeys, isWhole } from './directory-changes.ts';
import type { CertificateRecord, DeviceRecord, OrgRecord, ReaderRecord, ZoneRecord } from './records.ts';
import type { Store } from './store.ts';
import { tables } from './tables.ts';

export interface ZoneContext {
  readonly no: number;
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly kind: ZoneKind;
  readonly policy: LocationPolicy | null;
}

export interface PortContext {
  readonly port: number;
  readonly antennaNo: number;
  /** Null when the port is unmapped or disabled: its reads place nothing. */
  readonly zone: ZoneContext | null;
}

/** What ingest must know of a reader whose data is taken. */
export interface ReaderContext {
  readonly serial: string;
  readonly orgId: string;
  readonly orgNo: number;
  readonly reader: ReaderRecord;
  /** Index 1 to 4; index 0 stands for reads that name no port. */
  readonly ports: readonly PortContext[];
}

/**
 * Who is registered, who belongs to whom, which port watches which zone: the tables every message needs, held in memory.
 * What this process changes is taken over record by record; a change by another process makes everything load again,
 * which takes tens of milliseconds with thousands of readers.
 */
export class Directory {
  readonly #store: Store;
  readonly #changed = new ChangedKeys();
  #version = -1;
  #ownChanges = -1;
  #checkedThisTurn = false;
  #devices = new Map<string, DeviceRecord>();
  #certificates = new Map<string, CertificateRecord>();
  #readers = new Map<string, ReaderContext>();
  #readerByNo = new Map<number, ReaderContext>();
  #readerById = new Map<string, ReaderContext>();
  #zones = new Map<number, ZoneContext>();
  #zoneById = new Map<string, ZoneContext>();
  #orgs = new Map<string, OrgRecord>();

  constructor(store: Store) {
    this.#store = store;
    this.#changed.watch(store);
  }

  device(serial: string): DeviceRecord | undefined {
    this.#refresh();
    return this.#devices.get(serial);
  }

  certificate(serialNumber: string): CertificateRecord | undefined {
    this.#refresh();
    return this.#certificates.get(serialNumber);
  }

  /** Every certificate on record for a serial, revoked ones too. Looks at all there are. */
  certificatesOf(serial: string): readonly ListedCertificate[] {
    this.#refresh();
    const found: ListedCertificate[] = [];
    for (const [serialNumber, record] of this.#certificates)
      if (record.serial === serial) found.push({ serialNumber, ...record });
    return found;
  }

  /** The reader a serial's data belongs to; undefined while it must be dropped (unclaimed, released, withdrawn, revoked). */
  reader(serial: string): ReaderContext | undefined {
    this.#refresh();
    return this.#readers.get(serial);
  }

  readerByNo(no: number): ReaderContext | undefined {
    this.#refresh();
    return this.#readerByNo.get(no);
  }

  /** A zone by its number; undefined once it is deleted, which is how tags there lose their location. */
  zoneByNo(no: number): ZoneContext | undefined {
    this.#refresh();
    return this.#zones.get(no);
  }

  org(id: string): OrgRecord | undefined {
    this.#refresh();
    return this.#orgs.get(id);
  }

  zonesOf(orgId: string): readonly ZoneContext[] {
    this.#refresh();
    return [...this.#zones.values()].filter((zone) => zone.orgId === orgId);
  }

  /** Every zone of every organisation. */
  zones(): readonly ZoneContext[] {
    this.#refresh();
    return [...this.#zones.values()];
  }

  /** Every reader of every organisation, those whose data is refused too. */
  readers(): readonly ReaderContext[] {
    this.#refresh();
    return [...this.#readerByNo.values()];
  }

  /** The readers of an organisation in the order they were claimed. */
  readersOf(orgId: string): readonly ReaderContext[] {
    return this.readers()
      .filter((context) => context.orgId === orgId)
      .toSorted((a, b) => a.reader.no - b.reader.no);
  }

  /** Changes of this process show at once; those of another are looked for once in a turn of the event loop. */
  #refresh(): void {
    const own = this.#store.ownDirectoryChanges;
    if (this.#checkedThisTurn && own === this.#ownChanges) return;
    this.#checkedThisTurn = true;
    setImmediate(() => {
      this.#checkedThisTurn = false;
    });
    this.#ownChanges = own;
    const before = this.#version;
    this.#version = this.#store.directoryVersion();
    if (this.#version === before) return;
    const changed = this.#changed.take();
    if (before >= 0 && changed.orgs.size === 0 && isWhole(changed, before, this.#version))
      this.#update(changed);
    else this.#load();
  }

  #load(): void {
    const store = this.#store;
    this.#orgs = new Map(Array.from(store.range(tables.orgs), ({ key, value }) => [key, value]));
    this.#devices = new Map(Array.from(store.range(tables.devices), ({ key, value }) => [key, value]));
    this.#certificates = new Map(
      Array.from(store.range(tables.certificates), ({ key, value }) => [key, value]),
    );
    this.#zones = new Map();
    this.#zoneById = new Map();
    for (const { key, value } of store.range(tables.zones)) this.#putZone(zoneContext(key[0], value));
    this.#readers = new Map();
    this.#readerByNo = new Map();
    this.#readerById = new Map();
    for (const { key, value } of store.range(tables.readers)) this.#putReader(key[0], value);
  }

  #update({ devices, certificates, zones, readers }: Changed): void {
    for (const serial of devices) replace(this.#devices, serial, this.#store.get(tables.devices, serial));
    for (const no of certificates) replace(this.#certificates, no, this.#store.get(tables.certificates, no));
    const touched = new Map(readers);
    for (const context of this.#readerById.values())
      if (devices.has(context.serial) || context.ports.some(({ zone }) => zone && zones.has(zone.id)))
        touched.set(context.reader.id, context.orgId);
    for (const [id, orgId] of zones) this.#updateZone(orgId, id);
    for (const [id, orgId] of touched) this.#updateReader(orgId, id);
  }

  #updateZone(orgId: string, id: string): void {
    const before = this.#zoneById.get(id);
    if (before) this.#zones.delete(before.no);
    this.#zoneById.delete(id);
    const zone = this.#store.get(tables.zones, [orgId, id]);
    if (zone) this.#putZone(zoneContext(orgId, zone));
  }

  #putZone(zone: ZoneContext): void {
    this.#zones.set(zone.no, zone);
    this.#zoneById.set(zone.id, zone);
  }

  #updateReader(orgId: string, id: string): void {
    const before = this.#readerById.get(id);
    this.#readerById.delete(id);
    if (before) this.#readerByNo.delete(before.reader.no);
    // The serial may be another reader's by now.
    if (before && this.#readers.get(before.serial) === before) this.#readers.delete(before.serial);
    const reader = this.#store.get(tables.readers, [orgId, id]);
    if (reader) this.#putReader(orgId, reader);
  }

  #putReader(orgId: string, reader: ReaderRecord): void {
    const org = this.#orgs.get(orgId);
    if (!org) return;
    const { serial, no, id } = reader;
    const context = { serial, orgId, orgNo: org.no, reader, ports: this.#ports(orgId, reader) };
    this.#readerByNo.set(no, context);
    this.#readerById.set(id, context);
    if (takesData(this.#devices.get(serial), id)) this.#readers.set(serial, context);
  }

  #ports(orgId: string, { id, no }: ReaderRecord): readonly PortContext[] {
    const ports: PortContext[] = Array.from({ length: limits.antennaPorts + 1 }, (_, port) => ({
      port,
      antennaNo: antennaNoOf(no, port),
      zone: null,
    }));
    for (const { port, zoneId, enabled } of this.#store.get(tables.antennas, [orgId, id]) ?? []) {
      const zone = (enabled && zoneId !== null && this.#zoneById.get(zoneId)) || null;
      ports[port] = { port, antennaNo: antennaNoOf(no, port), zone };
    }
    return ports;
  }
}

function replace<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

function zoneContext(orgId: string, zone: ZoneRecord): ZoneContext {
  return { no: zone.no, id: zone.id, orgId, name: zone.name, kind: zone.kind, policy: zone.locationPolicy };
}

function takesData(device: DeviceRecord | undefined, readerId: string): boolean {
  return device?.state === 'claimed' && device.readerId === readerId && !device.dataRevoked;
}
