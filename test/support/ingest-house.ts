import type { LiveEvent } from '../../src/contract/events.ts';
import { defaultAntenna } from '../../src/domain/antenna.ts';
import { Activity } from '../../src/ingest/activity.ts';
import { Diagnostics } from '../../src/ingest/diagnostics.ts';
import { Ingest } from '../../src/ingest/ingest.ts';
import type { RecentReads } from '../../src/ingest/recent-reads.ts';
import { Views } from '../../src/ingest/views.ts';
import { createLog } from '../../src/log/log.ts';
import { Directory } from '../../src/store/directory.ts';
import type { DeviceRecord } from '../../src/store/records.ts';
import type { Store, Tx } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { TagLedger } from '../../src/store/tag-ledger.ts';

export const houseRules = {
  sessionGapMs: 10_000,
  visitGapMs: 300_000,
  tagReadIntervalMs: 1000,
  locationPolicy: 'immediate' as const,
  maxClockSkewMs: 5000,
};

/** Two organisations with readers A1, A2 (of `a`) and B1 (of `b`), a zone for ports 1 and 2 of each, port 3 disabled, 4 unmapped. */
const furnished = {
  orgs: [
    { id: 'a', no: 1, readers: ['A1', 'A2'] },
    { id: 'b', no: 2, readers: ['B1'] },
  ],
} as const;

/** Makes the organisations, zones, readers and devices, and an unclaimed device `U1`. */
export async function furnish(store: Store): Promise<void> {
  await store.write((tx) => {
    for (const { id, no, readers } of furnished.orgs) {
      tx.put(tables.orgs, id, { id, no, name: id, createdAt: 0 });
      for (const serial of readers) furnishReader(tx, id, serial);
    }
    tx.put(tables.devices, 'U1', device('U1', {}));
  });
}

function furnishReader(tx: Tx, orgId: string, serial: string): void {
  const no = tx.next('lastReaderNo');
  const id = `reader-${serial}`;
  const reader = { id, no, serial, name: serial, enabled: true, createdAt: 0 };
  tx.put(tables.readers, [orgId, id], reader);
  tx.put(tables.devices, serial, device(serial, { state: 'claimed', orgId, readerId: id }));
  const ports = [1, 2, 3, 4];
  for (const port of ports.slice(0, 3)) {
    const zoneId = `${serial}-zone${port}`;
    const zone = { siteId: 's', kind: 'storage' as const, locationPolicy: null };
    tx.put(tables.zones, [orgId, zoneId], { ...zone, id: zoneId, no: tx.next('lastZoneNo'), name: zoneId });
  }
  const antennas = ports.map((port) => ({
    ...defaultAntenna,
    id: `${serial}-${port}`,
    port,
    zoneId: port === 4 ? null : `${serial}-zone${port}`,
    enabled: port !== 3,
  }));
  tx.put(tables.antennas, [orgId, id], antennas);
}

export function device(serial: string, other: Partial<DeviceRecord>): DeviceRecord {
  return {
    serial,
    model: '',
    firmware: '',
    state: 'registered',
    claimCode: null,
    orgId: null,
    readerId: null,
    claimedAt: null,
    provisionedAt: 0,
    dataRevoked: false,
    connectRevoked: false,
    ...other,
  };
}

export interface HouseOptions {
  readonly maxTags?: number;
  readonly now?: () => number;
  readonly recent?: RecentReads;
}

/** Ingest with a real store, and what it did to its surroundings. */
export function openHouse(store: Store, { maxTags = 100_000, now = Date.now, recent }: HouseOptions = {}) {
  const directory = new Directory(store);
  const ledger = new TagLedger(store);
  const activity = new Activity(store);
  const diagnostics = new Diagnostics();
  const views = new Views({ store, ledger, maxTags, ...houseRules });
  const published: { readonly orgId: string; readonly events: readonly LiveEvent[] }[] = [];
  const surroundings = {
    blocked: null as string | null,
    shed: [] as string[],
    settled: [] as string[],
    listening: true,
    logged: [] as string[],
    onPublish: (_orgId: string, _events: readonly LiveEvent[]): void => undefined,
  };
  const log = createLog({ level: 'info', out: { write: (line) => surroundings.logged.push(line) } });
  const ingest = new Ingest({
    store,
    directory,
    ledger,
    views,
    activity,
    diagnostics,
    rules: houseRules,
    now,
    recent,
    listening: () => surroundings.listening,
    publish: (orgId, events) => {
      published.push({ orgId, events });
      surroundings.onPublish(orgId, events);
    },
    writeBlocked: () => surroundings.blocked,
    log,
  });
  const send = (serial: string, message: unknown, onSettle: () => void = () => undefined): Promise<void> =>
    new Promise((resolve) => {
      const payload = Buffer.isBuffer(message) ? message : Buffer.from(JSON.stringify(message));
      const isTaken = ingest.accept(serial, payload, () => {
        surroundings.settled.push(serial);
        onSettle();
        resolve();
      });
      if (!isTaken) surroundings.shed.push(serial);
    });
  return {
    directory,
    ledger,
    activity,
    diagnostics,
    views,
    ingest,
    published,
    surroundings,
    /** Hands a message in; resolves when it is settled. */
    send,
    /** What is on disk of a tag: found through the index, as a fresh start would find it. */
    onDisk: (orgNo: number, epc: string) => {
      const tagNo = store.get(tables.tagByEpc, [orgNo, epc]);
      const again = new TagLedger(store);
      return tagNo === undefined
        ? null
        : {
            tagNo,
            record: store.get(tables.tags, tagNo),
            ...again.states.get(tagNo),
            visits: again.visits(tagNo, 100),
          };
    },
    /** Every event so far, as a consumer of the stream gets it. */
    events: (): LiveEvent[] => JSON.parse(JSON.stringify(published.flatMap(({ events }) => events))),
  };
}

export type House = ReturnType<typeof openHouse>;

/** A plain read; `at` epoch ms. */
export function plain(epc: string, at: number | null, other: Record<string, unknown> = {}) {
  return {
    epc,
    antennaPort: 1,
    rssiCdbm: -5500,
    ...(at === null ? {} : { timestamp: new Date(at).toISOString() }),
    ...other,
  };
}
