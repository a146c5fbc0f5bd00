import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Activity } from '../../src/ingest/activity.ts';
import { WriteFailed } from '../../src/store/store.ts';
import { type StoreFolder, storeFolder } from '../support/store-folder.ts';

let folder: StoreFolder;
let activity: Activity;

beforeEach(() => {
  folder = storeFolder();
  activity = new Activity(folder.store);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await folder.close();
});

const restarted = () => new Activity(folder.store).of('R');

describe('signs of life', () => {
  it('of a device never heard of are none', () => {
    expect(activity.of('R')).toEqual({
      firstSeenAt: null,
      lastSeenAt: null,
      lastEventAt: null,
      brokerStatusAt: null,
      health: null,
      healthAt: null,
      connections: 0,
      radio: null,
    });
  });

  it('the first stays, the last moves on; only reads and radio events count as events', () => {
    activity.heard('R', 1);
    activity.events('R', 2, 'running');
    activity.heard('R', 3);
    expect(activity.of('R')).toMatchObject({
      firstSeenAt: 1,
      lastSeenAt: 3,
      lastEventAt: 2,
      radio: 'running',
    });
  });

  it('health is kept whole, with its time, and says what the radio does', () => {
    activity.health('R', 5, { type: 'health', radio: 'idle', temperatureC: 41 });
    expect(activity.of('R')).toMatchObject({ healthAt: 5, radio: 'idle', health: { temperatureC: 41 } });
  });
});

describe('connections', () => {
  it('of the reader and its agent count apart; the status changes with the first and the last', () => {
    activity.connected('R', 'reader', 1);
    activity.connected('R', 'agent', 2);
    expect(activity.of('R')).toMatchObject({ connections: 2, brokerStatusAt: 1 });
    activity.disconnected('R', 'reader', 3);
    expect(activity.of('R')).toMatchObject({ connections: 1, brokerStatusAt: 1 });
    activity.disconnected('R', 'agent', 4);
    expect(activity.of('R')).toMatchObject({ connections: 0, brokerStatusAt: 4 });
  });

  it('a connection found dead is no sign of life', () => {
    activity.connected('R', 'c', 1);
    activity.disconnected('R', 'c', 99);
    expect(activity.of('R').lastSeenAt).toBe(1);
  });

  it('a disconnection told twice, or of an unknown connection, changes nothing', () => {
    activity.connected('R', 'c', 1);
    activity.disconnected('R', 'other', 2);
    expect(activity.of('R')).toMatchObject({ connections: 1, brokerStatusAt: 1 });
    activity.disconnected('R', 'c', 3);
    activity.disconnected('R', 'c', 4);
    expect(activity.of('R')).toMatchObject({ connections: 0, brokerStatusAt: 3 });
  });

  it('what the radio does is forgotten when nobody is connected to say it', () => {
    activity.connected('R', 'c', 1);
    activity.events('R', 2, 'running');
    activity.disconnected('R', 'c', 3);
    expect(activity.of('R').radio).toBeNull();
  });
});

describe('saving', () => {
  it('keeps the record over a restart, and neither connections nor the radio', async () => {
    activity.connected('R', 'c', 1);
    activity.events('R', 2, 'running');
    activity.health('R', 3, { type: 'health', temperatureC: 41 });
    await activity.save();
    const { connections, radio, ...record } = activity.of('R');
    expect([connections, radio]).toEqual([1, 'running']);
    expect(restarted()).toEqual({ ...record, connections: 0, radio: null });
  });

  it('writes only what changed since the last time', async () => {
    const write = vi.spyOn(folder.store, 'write');
    await activity.save();
    activity.heard('R', 1);
    await activity.save();
    await activity.save();
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('on a full disk is put off, not lost', async () => {
    activity.heard('R', 1);
    vi.spyOn(folder.store, 'write').mockRejectedValueOnce(new WriteFailed(new Error('ENOSPC')));
    await activity.save();
    expect(restarted().lastSeenAt).toBeNull();
    await activity.save();
    expect(restarted().lastSeenAt).toBe(1);
  });

  it('what changes while it saves is saved the next time', async () => {
    activity.heard('R', 1);
    const saving = activity.save();
    activity.heard('R', 2);
    activity.heard('S', 2);
    await saving;
    await activity.save();
    expect([restarted().lastSeenAt, new Activity(folder.store).of('S').lastSeenAt]).toEqual([2, 2]);
  });
});
