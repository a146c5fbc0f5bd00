import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commandStateOf } from '../../src/domain/command.ts';
import { addCommand, latestCommand, markPublished, stepCommand } from '../../src/store/commands.ts';
import { OpenCommands } from '../../src/store/open-commands.ts';
import { tables } from '../../src/store/tables.ts';
import { createCommandTimeouts } from '../../src/sweep/command-timeouts.ts';
import { type House, noon, openHouse, type Tenant } from '../support/house.ts';

const ackTimeoutMs = 30_000;

let house: House;
let tenant: Tenant;
let commands: OpenCommands;
let made = 0;

beforeEach(async () => {
  house = await openHouse();
  tenant = await house.tenant('Ours');
  commands = new OpenCommands(house.store);
});
afterEach(() => house.close());

/** A sweep as a start makes it: with what is in the store. */
function started() {
  const { store } = house;
  return createCommandTimeouts({ store, commands, now: () => house.now, ackTimeoutMs });
}

async function command(readerId: string, publishedAt: number | null = null) {
  const reader = { orgId: tenant.orgId, readerId };
  const id = `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`;
  const { no } = await house.store.write((tx) =>
    addCommand(tx, { ...reader, id, kind: 'start', now: house.now }),
  );
  const key = { ...reader, no };
  if (publishedAt !== null) await house.store.write((tx) => markPublished(tx, key, publishedAt));
  return key;
}

const lastOf = (readerId: string) => latestCommand(house.store, { orgId: tenant.orgId, readerId });

describe('a command that nobody acknowledges', () => {
  test('fails 30 s after it was published, not before', async () => {
    const { id } = await tenant.reader();
    await command(id, noon + 5000);
    const sweep = started();
    house.now = noon + 34_999;
    await sweep.run();
    expect(lastOf(id)).toMatchObject({ standing: 'published', settledAt: null });
    house.now = noon + 35_000;
    await sweep.run();
    expect(lastOf(id)).toMatchObject({ standing: 'timed-out', settledAt: house.now });
  });

  test('fails 30 s after it was made when it could not be published', async () => {
    const { id } = await tenant.reader();
    await command(id);
    house.now = noon + 30_000;
    await started().run();
    expect(commandStateOf(lastOf(id)?.standing ?? 'pending')).toBe('failed');
  });

  test('fails after a restart too, the time in between counts', async () => {
    const { id } = await tenant.reader();
    await command(id, noon);
    commands = new OpenCommands(house.store);
    house.now = noon + 31_000;
    await started().run();
    expect(lastOf(id)?.standing).toBe('timed-out');
  });

  test('is told once: it stays as it was, and an answer "ok" still turns it to applied', async () => {
    const { id } = await tenant.reader();
    const key = await command(id, noon);
    const sweep = started();
    house.now = noon + 30_000;
    await sweep.run();
    house.now = noon + 60_000;
    await sweep.run();
    expect(lastOf(id)?.settledAt).toBe(noon + 30_000);
    await house.store.write((tx) => stepCommand(tx, key, { event: 'ack-ok', now: house.now }));
    await sweep.run();
    expect(lastOf(id)).toMatchObject({ standing: 'applied', settledAt: noon + 60_000 });
  });
});

describe('the sweep', () => {
  test('leaves commands alone that were answered or superseded', async () => {
    const { id } = await tenant.reader();
    const [first, second] = [await command(id, noon), await command(id, noon)];
    await house.store.write((tx) =>
      stepCommand(tx, second, { event: 'ack-failed', now: noon, error: 'no such preset' }),
    );
    house.now = noon + 90_000;
    await started().run();
    expect(lastOf(id)).toMatchObject({ standing: 'failed', error: 'no such preset' });
    const superseded = house.store.get(tables.commands, [tenant.orgId, id, first.no]);
    expect(superseded).toMatchObject({ standing: 'superseded', settledAt: noon });
  });

  test('decides again inside the transaction: an answer that comes in between wins', async () => {
    const { id } = await tenant.reader();
    const key = await command(id, noon);
    const sweep = started();
    house.now = noon + 30_000;
    const answered = house.store.write((tx) => stepCommand(tx, key, { event: 'ack-ok', now: house.now }));
    await Promise.all([answered, sweep.run()]);
    expect(lastOf(id)?.standing).toBe('applied');
  });

  test('forgets commands whose reader another process removed', async () => {
    const { id } = await tenant.reader();
    const key = await command(id, noon);
    const stale = new OpenCommands(house.store);
    await house.store.write((tx) => tx.remove(tables.commands, [key.orgId, key.readerId, key.no]));
    // As if this memory had not been told.
    const open = { key, command: { ...lostCommand, no: key.no } };
    const blind = Object.assign(Object.create(stale), { all: () => [open], check: () => stale.check(key) });
    house.now = noon + 30_000;
    const { store } = house;
    await createCommandTimeouts({ store, commands: blind, now: () => house.now, ackTimeoutMs }).run();
    expect(stale.all()).toEqual([]);
    expect(house.store.count(tables.commands)).toBe(0);
  });

  test('settles hundreds at once', async () => {
    const ids = Array.from({ length: 250 }, (_, n) => `reader-${n}`);
    await house.store.write((tx) => {
      for (const readerId of ids)
        addCommand(tx, { orgId: tenant.orgId, readerId, id: readerId, kind: 'stop', now: noon });
    });
    house.now = noon + 30_000;
    await started().run();
    expect(new Set(ids.map((id) => lastOf(id)?.standing))).toEqual(new Set(['timed-out']));
  });
});

const lostCommand = {
  ...{ id: '00000000-0000-4000-8000-0000000000ff', kind: 'start', preset: 'svc-default' },
  ...{ standing: 'published', createdAt: noon, publishedAt: noon, settledAt: null, error: null },
} as const;
