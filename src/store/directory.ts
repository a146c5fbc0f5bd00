import { limits } from '../domain/limits.ts';
import { antennaNoOf } from '../domain/tag-state.ts';
import type { LocationPolicy, ZoneKind } from '../domain/zone.ts';
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
 * Who is registered, who belongs to whom, which port watches which zone: the tables every message needs, held in memory
 * and loaded again when their version changed, whichever process changed them.
 */
export class Directory {
  readonly #store: Store;
  #version = -1;
  #ownChanges = -1;
  #checkedThisTurn = false;
  #devices = new Map<string, DeviceRecord>();
  #certificates = new Map<string, CertificateRecord>();
  #readers = new Map<string, ReaderContext>();
  #readerByNo = new Map<number, ReaderContext>();
  #zones = new Map<number, ZoneContext>();
  #orgs = new Map<string, OrgRecord>();

  constructor(store: Store) {
    this.#store = store;
  }

  device(serial: string): DeviceRecord | undefined {
    this.#refresh();
    return this.#devices.get(serial);
  }

  certificate(serialNumber: string): CertificateRecord | undefined {
    this.#refresh();
    return this.#certificates.get(serialNumber);
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

  /** Changes of this process show at once; those of another are looked for once in a turn of the event loop. */
  #refresh(): void {
    const own = this.#store.ownDirectoryChanges;
    if (this.#checkedThisTurn && own === this.#ownChanges) return;
    this.#ownChanges = own;
    this.#checkedThisTurn = true;
    setImmediate(() => {
      this.#checkedThisTurn = false;
    });
    const version = this.#store.directoryVersion();
    if (version !== this.#version) this.#load(version);
  }

  #load(version: number): void {
    const store = this.#store;
    this.#orgs = new Map(Array.from(store.range(tables.orgs), ({ key, value }) => [key, value]));
    this.#devices = new Map(Array.from(store.range(tables.devices), ({ key, value }) => [key, value]));
    this.#certificates = new Map(
      Array.from(store.range(tables.certificates), ({ key, value }) => [key, value]),
    );
    this.#loadZones();
    this.#loadReaders();
    this.#version = version;
  }

  #loadZones(): void {
    this.#zones = new Map();
    for (const { key, value } of this.#store.range(tables.zones)) {
      this.#zones.set(value.no, zoneContext(key[0], value));
    }
  }

  #loadReaders(): void {
    this.#readers = new Map();
    this.#readerByNo = new Map();
    const zonesById = new Map(Array.from(this.#zones.values(), (zone) => [zone.id, zone]));
    for (const { key, value: reader } of this.#store.range(tables.readers)) {
      const [orgId, readerId] = key;
      const org = this.#orgs.get(orgId);
      if (!org) continue;
      const ports = this.#ports(orgId, readerId, { readerNo: reader.no, zonesById });
      const context = { serial: reader.serial, orgId, orgNo: org.no, reader, ports };
      this.#readerByNo.set(reader.no, context);
      if (takesData(this.#devices.get(reader.serial), readerId)) this.#readers.set(reader.serial, context);
    }
  }

  #ports(
    orgId: string,
    readerId: string,
    { readerNo, zonesById }: { readerNo: number; zonesById: ReadonlyMap<string, ZoneContext> },
  ): readonly PortContext[] {
    const ports: PortContext[] = Array.from({ length: limits.antennaPorts + 1 }, (_, port) => ({
      port,
      antennaNo: antennaNoOf(readerNo, port),
      zone: null,
    }));
    for (const { port, zoneId, enabled } of this.#store.get(tables.antennas, [orgId, readerId]) ?? []) {
      const zone = (enabled && zoneId !== null && zonesById.get(zoneId)) || null;
      ports[port] = { port, antennaNo: antennaNoOf(readerNo, port), zone };
    }
    return ports;
  }
}

function zoneContext(orgId: string, zone: ZoneRecord): ZoneContext {
  return { no: zone.no, id: zone.id, orgId, name: zone.name, kind: zone.kind, policy: zone.locationPolicy };
}

function takesData(device: DeviceRecord | undefined, readerId: string): boolean {
  return device?.state === 'claimed' && device.readerId === readerId && !device.dataRevoked;
}
