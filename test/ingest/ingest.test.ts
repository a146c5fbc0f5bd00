import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Tx, WriteFailed } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import { furnish, type House, openHouse, plain } from '../support/ingest-house.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

const EPC = '30340000000000000000ABCD';
const T0 = 1_700_000_000_000;

let folder: StoreFolder;
let house: House;
let clock = T0;

beforeEach(async () => {
  folder = storeFolder();
  await furnish(folder.store);
  clock = T0;
  house = openHouse(folder.store, { now: () => clock });
});

afterEach(async () => {
  vi.restoreAllMocks();
  house.surroundings.blocked = null;
  await house.ingest.stop();
  await folder.close();
});

describe('an acknowledgement', () => {
  it('is given once the read is on disk, not before', async () => {
    let found: ReturnType<House['onDisk']> = null;
    await house.send('A1', plain(EPC, T0 - 500), () => {
      found = house.onDisk(1, EPC);
    });
    expect(found).toMatchObject({
      firstSeenAt: T0 - 500,
      lastSeenAt: T0 - 500,
      record: { epc: EPC, orgNo: 1 },
    });
  });

  it('is given in the order of arrival, whatever became of each message', async () => {
    const messages: [string, unknown][] = [
      ['A1', plain(EPC, T0)],
      ['U1', plain(EPC, T0)],
      ['A2', Buffer.from('{not json')],
      ['A1', plain(EPC, T0)],
      ['B1', []],
      ['A2', plain(EPC, T0 + 1)],
    ];
    await Promise.all(messages.map(([serial, message]) => house.send(serial, message)));
    expect(house.surroundings.settled).toEqual(messages.map(([serial]) => serial));
  });

  it('that throws, as of a client just gone, keeps no other back and stops nothing', async () => {
    const faulty = house.send('A1', plain(EPC, T0), () => {
      throw new Error('socket closed');
    });
    faulty.catch(() => undefined);
    await house.send('A2', plain(EPC, T0 + 1));
    await house.send('A1', plain(EPC, T0 + 2));
    expect(house.onDisk(1, EPC)?.lastSeenAt).toBe(T0 + 2);
    expect(house.surroundings.logged.join()).toContain('socket closed');
  });
});

describe('a message that brings nothing', () => {
  it('of an unclaimed device is dropped, counted and acknowledged, and shows as a sign of life', async () => {
    await house.send('U1', plain(EPC, T0));
    expect(house.diagnostics.of('U1')).toMatchObject({ messages: 1, dropped: 1, reads: 0 });
    expect(house.activity.of('U1')).toMatchObject({ lastSeenAt: T0, lastEventAt: null });
    expect(folder.store.count(tables.tags)).toBe(0);
  });

  it('of a device revoked in the service is dropped from the next message on', async () => {
    await house.send('A1', plain(EPC, T0));
    const device = folder.store.get(tables.devices, 'A1');
    if (!device) throw new Error('no device');
    await folder.store.write((tx) => tx.put(tables.devices, 'A1', { ...device, dataRevoked: true }));
    await house.send('A1', plain(EPC, T0 + 1));
    expect(house.diagnostics.of('A1')).toMatchObject({ messages: 2, dropped: 1, reads: 1 });
    expect(house.onDisk(1, EPC)?.lastSeenAt).toBe(T0);
  });

  it('that can not be read is acknowledged, counted, and kept with its reason: the last 20, 512 bytes of each', async () => {
    for (let i = 1; i <= 25; i++) await house.send('A1', Buffer.from(`nonsense ${i} ${'x'.repeat(2000)}`));
    const { messages, rejected, badPayloads } = house.diagnostics.of('A1');
    expect([messages, rejected, badPayloads.length]).toEqual([25, 25, 20]);
    expect(badPayloads.map(({ excerpt }) => excerpt.split(' ')[1])).toEqual(
      Array.from({ length: 20 }, (_, i) => String(i + 6)),
    );
    expect(
      badPayloads.every(({ excerpt, reason, at }) => excerpt.length === 512 && reason !== '' && at === T0),
    ).toBe(true);
  });

  it('costs its good reads nothing: what can be read of it is taken', async () => {
    await house.send('A1', [plain(EPC, T0), plain('XYZ', T0), plain(EPC, T0 + 1)]);
    expect(house.diagnostics.of('A1')).toMatchObject({ reads: 2, rejected: 1 });
    expect(house.onDisk(1, EPC)?.lastSeenAt).toBe(T0 + 1);
  });

  it('for a fault of ours is acknowledged, logged and kept, and the others are not affected', async () => {
    const step = vi.spyOn(house.views, 'of');
    step.mockImplementationOnce(() => {
      throw new Error('a fault of ours');
    });
    await Promise.all([house.send('A1', plain('AAAAAAAA', T0)), house.send('A1', plain(EPC, T0))]);
    expect(house.onDisk(1, EPC)?.lastSeenAt).toBe(T0);
    expect(house.diagnostics.of('A1').badPayloads[0]?.reason).toBe('internal error, see the log');
    expect(house.surroundings.logged.join()).toContain('a fault of ours');
  });
});

describe('the reader’s clock', () => {
  it('ahead by more than the skew is counted, and the time of arrival stands in', async () => {
    await house.send('A1', plain(EPC, T0 + 60_000));
    expect(house.diagnostics.of('A1')).toMatchObject({ clockSkewed: 1, clockAheadMs: 60_000 });
    expect(house.onDisk(1, EPC)).toMatchObject({ lastSeenAt: T0, zoneSeenAt: T0 });
  });

  it('ahead by less is the reader’s own affair', async () => {
    await house.send('A1', plain(EPC, T0 + 4000));
    expect(house.diagnostics.of('A1')).toMatchObject({ clockSkewed: 0, clockAheadMs: 4000 });
    expect(house.onDisk(1, EPC)?.lastSeenAt).toBe(T0 + 4000);
  });
});

describe('while the disk refuses', () => {
  it('nothing is acknowledged, the reason is visible, and it goes on by itself', async () => {
    house.surroundings.blocked = 'disk nearly full: 3 MB free';
    const sent = [house.send('A1', plain(EPC, T0)), house.send('U1', plain(EPC, T0))];
    await vi.waitFor(() => expect(house.ingest.stalled).toBe('disk nearly full: 3 MB free'));
    sent.push(house.send('A2', plain(EPC, T0 + 5)));
    expect([house.surroundings.settled, house.ingest.queuedMessages, house.published]).toEqual([[], 1, []]);
    house.surroundings.blocked = null;
    await Promise.all(sent);
    expect([house.ingest.stalled, house.onDisk(1, EPC)?.lastSeenAt]).toEqual([null, T0 + 5]);
    expect(house.surroundings.settled).toEqual(['A1', 'U1', 'A2']);
  });

  it('a failed commit is tried again: no tag number lost, none given twice, no read counted twice', async () => {
    const write = folder.store.write.bind(folder.store);
    let failures = 2;
    vi.spyOn(folder.store, 'write').mockImplementation(<T>(action: (tx: Tx) => T) =>
      write((tx) => {
        const result = action(tx);
        if (failures-- > 0) throw new WriteFailed(new Error('ENOSPC'));
        return result;
      }),
    );
    await house.send('A1', [plain('AAAAAAA1', T0), plain('AAAAAAA2', T0), plain('AAAAAAA1', T0 + 1)]);
    await house.send('A1', plain('AAAAAAA3', T0 + 2));
    const found = ['AAAAAAA1', 'AAAAAAA2', 'AAAAAAA3'].map((epc) => house.onDisk(1, epc));
    expect(found.map((one) => one?.tagNo)).toEqual([1, 2, 3]);
    expect(found.map((one) => one?.visits.map(({ reads }) => reads))).toEqual([[2], [1], [1]]);
    expect(folder.store.count(tables.tags)).toBe(3);
    expect(house.surroundings.logged.join()).toContain('the disk is full or failing');
  });

  it('a full journal waits for a checkpoint, and overwrites nothing', async () => {
    for (let i = 0; i < 1100; i++) await house.send('A1', plain(EPC, T0 + i));
    expect(house.ledger.pending).toBeLessThan(1024);
    expect(house.onDisk(1, EPC)).toMatchObject({ lastSeenAt: T0 + 1099, visits: [{ reads: 1100 }] });
  });

  it('stop gives up without acknowledging: the readers keep their reads', async () => {
    house.surroundings.blocked = 'full';
    void house.send('A1', plain(EPC, T0));
    await vi.waitFor(() => expect(house.ingest.stalled).toBe('full'));
    await house.ingest.stop();
    expect([house.surroundings.settled, folder.store.count(tables.tags)]).toEqual([[], 0]);
  });
});

describe('stop', () => {
  it('settles everything taken so far, and takes no more', async () => {
    const sent = Array.from({ length: 300 }, (_, i) => house.send('A1', plain(EPC, T0 + i)));
    await house.ingest.stop();
    await Promise.all(sent);
    expect(house.onDisk(1, EPC)?.lastSeenAt).toBe(T0 + 299);
    void house.send('A1', plain(EPC, T0 + 999));
    expect(house.surroundings.shed).toEqual(['A1']);
    expect(house.ingest.queuedMessages).toBe(0);
  });
});

describe('a message of thousands of reads', () => {
  it('spans batches, so that the event loop stays free, and is settled once, with its last read', async () => {
    const epcs = Array.from({ length: 3000 }, (_, i) => `E28011700000${String(i).padStart(12, '0')}`);
    const reads = epcs.map((epc) => ({ epc, antennaPort: 1, timestamp: new Date(T0).toISOString() }));
    const before = house.ingest.batches;
    await house.send('A1', { reads }, () => {
      expect(epcs.every((epc) => house.onDisk(1, epc)?.lastSeenAt === T0)).toBe(true);
    });
    expect(house.ingest.batches - before).toBeGreaterThan(10);
    expect(house.surroundings.settled).toEqual(['A1']);
    expect(house.diagnostics.of('A1')).toMatchObject({ messages: 1, reads: 3000, repeats: 0, rejected: 0 });
  });
});

describe('a full queue', () => {
  it('sheds the reader whose message does not fit, and that message is not acknowledged; the rest is', async () => {
    const big = Buffer.alloc(1024 * 1024, ' ');
    house.surroundings.blocked = 'full';
    const sent = Array.from({ length: 63 }, () => house.send('A1', big));
    expect(house.surroundings.shed).toEqual([]);
    void house.send('A2', big);
    expect([house.surroundings.shed, house.ingest.shed, house.ingest.queuedMessages]).toEqual([
      ['A2'],
      1,
      63,
    ]);
    house.surroundings.blocked = null;
    await Promise.all(sent);
    await house.send('A2', plain(EPC, T0));
    expect(house.surroundings.settled.filter((serial) => serial === 'A2')).toHaveLength(1);
  });

  it('of tiny messages is full too: each costs its bookkeeping', () => {
    house.surroundings.blocked = 'full';
    const tiny = Buffer.from('[]');
    for (let i = 0; i < 270_000; i++) house.ingest.accept('A1', tiny, () => undefined);
    const room = Math.floor((64 * 1024 * 1024) / (256 + tiny.length));
    expect([house.ingest.queuedMessages, house.ingest.shed]).toEqual([room, 270_000 - room]);
  });
});

describe('the live stream', () => {
  it('is told after the acknowledgement, and by then everything it says can be asked for', async () => {
    const seen: unknown[] = [];
    house.surroundings.onPublish = () => {
      const tagNo = folder.store.get(tables.tagByEpc, [1, EPC]) ?? 0;
      const record = folder.store.get(tables.tags, tagNo);
      const { lastSeenAt, zoneNo } = house.ledger.states.get(tagNo);
      seen.push([
        house.surroundings.settled.length,
        record?.id,
        lastSeenAt,
        house.directory.zoneByNo(zoneNo)?.id,
      ]);
    };
    await house.send('A1', plain(EPC, T0 - 7));
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    const tagId = folder.store.get(tables.tags, 1)?.id;
    expect(seen).toEqual([[1, tagId, T0 - 7, 'A1-zone1']]);
    expect(house.events().map(({ type, data }) => [type, data.tagId])).toEqual([
      ['session_started', tagId],
      ['tag_read', tagId],
      ['tag_moved', tagId],
    ]);
  });

  it('says where, how strong, when and how often', async () => {
    await house.send('A1', [
      plain(EPC, T0 - 2000, { rssiCdbm: -6000, count: 2 }),
      plain(EPC, T0 - 1000, { rssiCdbm: -4001, antennaPort: 1 }),
    ]);
    clock += 1000;
    await house.send('A1', plain(EPC, T0, { rssiCdbm: -5500, count: 3 }));
    await vi.waitFor(() => expect(house.published).toHaveLength(2));
    const reads = house.events().filter(({ type }) => type === 'tag_read');
    expect(reads.map(({ data }) => data)).toEqual([
      {
        epc: EPC,
        tagId: folder.store.get(tables.tags, 1)?.id,
        readerId: 'reader-A1',
        antennaPort: 1,
        zoneId: 'A1-zone1',
        zoneName: 'A1-zone1',
        rssiCdbm: -6000,
        lastSeen: new Date(T0 - 2000).toISOString(),
        readCount: 2,
      },
      expect.objectContaining({ rssiCdbm: -5500, readCount: 6, lastSeen: new Date(T0).toISOString() }),
    ]);
  });

  it('has no zone for an unmapped or disabled port, and no move', async () => {
    await house.send('A1', [plain(EPC, T0, { antennaPort: 4 }), plain('AAAAAAAA', T0, { antennaPort: 3 })]);
    await vi.waitFor(() => expect(house.published).toHaveLength(1));
    expect(house.events().map(({ type, data }) => [type, 'zoneId' in data])).toEqual([
      ['session_started', false],
      ['tag_read', false],
      ['session_started', false],
      ['tag_read', false],
    ]);
  });

  it('a move says from where, unless it is the first placement', async () => {
    await house.send('A1', [plain(EPC, T0), plain(EPC, T0 + 1, { antennaPort: 2 })]);
    await vi.waitFor(() => expect(house.published).toHaveLength(1));
    const moves = house.events().filter(({ type }) => type === 'tag_moved');
    expect(moves.map(({ data }) => data)).toEqual([
      expect.not.objectContaining({ fromZoneId: expect.anything() }),
      expect.objectContaining({
        fromZoneId: 'A1-zone1',
        toZoneId: 'A1-zone2',
        at: new Date(T0 + 1).toISOString(),
      }),
    ]);
  });

  it('is told nothing when nobody listens', async () => {
    house.surroundings.listening = false;
    await house.send('A1', plain(EPC, T0));
    await nextTurn();
    expect(house.published).toEqual([]);
  });

  it('that fails stops neither acknowledgements nor later events', async () => {
    house.surroundings.onPublish = () => {
      throw new Error('no stream');
    };
    await house.send('A1', plain(EPC, T0));
    await house.send('A1', plain('AAAAAAAA', T0));
    await vi.waitFor(() => expect(house.published).toHaveLength(2));
  });
});

describe('organisations', () => {
  it('the same EPC read in two of them is two tags, each with its own reads and its own stream', async () => {
    await Promise.all([house.send('A1', plain(EPC, T0)), house.send('B1', plain(EPC, T0 + 9))]);
    await vi.waitFor(() => expect(house.published).toHaveLength(2));
    const [a, b] = [house.onDisk(1, EPC), house.onDisk(2, EPC)];
    expect([a?.lastSeenAt, b?.lastSeenAt]).toEqual([T0, T0 + 9]);
    expect(a?.record?.id).not.toBe(b?.record?.id);
    expect(house.published.map(({ orgId, events }) => [orgId, events[0]?.data])).toEqual([
      ['a', expect.objectContaining({ readerId: 'reader-A1', tagId: a?.record?.id })],
      ['b', expect.objectContaining({ readerId: 'reader-B1', tagId: b?.record?.id })],
    ]);
  });

  it('two readers of one of them see the same tag', async () => {
    await Promise.all([house.send('A1', plain(EPC, T0)), house.send('A2', plain(EPC, T0 + 9))]);
    expect(folder.store.count(tables.tags)).toBe(1);
    expect(house.onDisk(1, EPC)).toMatchObject({ firstSeenAt: T0, lastSeenAt: T0 + 9 });
  });
});

describe('redelivery', () => {
  it('of messages stored already counts nothing twice, in the same run and after a crash', async () => {
    const messages = Array.from({ length: 30 }, (_, i) =>
      plain(EPC, T0 - 30_000 + i * 100, { antennaPort: 1 + (i % 2) }),
    );
    for (const message of messages) await house.send('A1', message);
    const before = house.onDisk(1, EPC);
    for (const message of messages.slice(10)) await house.send('A1', message);
    expect(house.diagnostics.of('A1').repeats).toBe(20);
    expect(house.onDisk(1, EPC)).toEqual(before);
    // No checkpoint ever ran: the journal alone must tell.
    const restarted = openHouse(folder.store, { now: () => clock });
    for (const message of messages) await restarted.send('A1', message);
    expect([restarted.diagnostics.of('A1').repeats, restarted.onDisk(1, EPC)]).toEqual([30, before]);
    await restarted.ingest.stop();
  });

  it('of buffered reads, hours late, keeps every stay of one message', async () => {
    const hour = 3_600_000;
    const reads = [-4, -3, -2].flatMap((h) => [plain(EPC, T0 + h * hour), plain(EPC, T0 + h * hour + 5000)]);
    await house.send('A1', reads);
    expect(
      house.onDisk(1, EPC)?.visits.map(({ firstAt, reads: count }) => [(firstAt - T0) / hour, count]),
    ).toEqual([
      [-2, 2],
      [-3, 2],
      [-4, 2],
    ]);
  });
});

describe('a long burst', () => {
  it('is taken in slices: other work gets its turn', async () => {
    const reads = Array.from({ length: 400 }, (_, i) => plain(`ABCD${String(i).padStart(8, '0')}`, T0));
    const sent = Array.from({ length: 200 }, (_, i) => {
      clock = T0 + i;
      return house.send(
        'A1',
        reads.map((one) => ({ ...one, timestamp: new Date(T0 + i).toISOString() })),
      );
    });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await Promise.all(sent);
    clearInterval(timer);
    expect(house.diagnostics.of('A1').reads).toBe(80_000);
    expect(turns).toBeGreaterThan(5);
    expect(house.ingest.batches).toBeGreaterThan(10);
  });
});
