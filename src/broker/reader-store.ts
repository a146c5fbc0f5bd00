import { mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import createPersistence, { type LevelPersistence, type StoredPacket } from 'aedes-persistence-level';
import { Level } from 'level';
import { readableTopic } from './client-id.ts';
import { Sessions } from './sessions.ts';
import type { BrokerLimits, BrokerLogger } from './types.ts';

export type LevelDb = Level<string, Buffer>;

export interface ReaderStoreOptions {
  readonly dir: string;
  readonly limits: BrokerLimits;
  readonly log: BrokerLogger;
  /** Whether the session's client is connected now. */
  readonly isLive: (scopedId: string, serial: string) => boolean;
}

export interface ReaderStore {
  readonly persistence: LevelPersistence;
  readonly sessions: Sessions;
  close(): Promise<void>;
}

/**
 * Opens the store of retained commands and persistent sessions, with the rules that Aedes leaves open closed.
 * Rejects in one line.
 */
export async function openReaderStore(options: ReaderStoreOptions): Promise<ReaderStore> {
  const db = await openLevel(options.dir);
  const persistence = createPersistence(db);
  const sessions = new Sessions({ db, persistence, limits: options.limits, isLive: options.isLive });
  await sessions.load();
  await keepRetainedInMemory(persistence);
  storeOwnSubscriptionsOnly(persistence, sessions);
  boundQueues(persistence, sessions);
  toleratesLostWills(persistence, options.log);
  return { persistence, sessions, close: () => db.close() };
}

async function openLevel(dir: string): Promise<LevelDb> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const db: LevelDb = new Level(dir, { valueEncoding: 'buffer' });
  try {
    await db.open();
  } catch (error) {
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new Error(`cannot open the broker's store in ${dir}: ${cause}`, { cause: error });
  }
  return db;
}

/**
 * A subscriber reads exactly one topic: a look-up, where the package would decode every retained command of
 * the appliance.
 */
async function keepRetainedInMemory(persistence: LevelPersistence): Promise<void> {
  const retained = new Map<string, StoredPacket>();
  const stored: AsyncIterable<StoredPacket> = persistence.createRetainedStream('#');
  for await (const packet of stored) retained.set(packet.topic, packet);
  const store = persistence.storeRetained.bind(persistence);
  persistence.storeRetained = async (packet) => {
    await store(packet);
    if (packet.payload.length === 0) retained.delete(packet.topic);
    else retained.set(packet.topic, packet);
  };
  persistence.createRetainedStreamCombi = (topics) =>
    Readable.from(topics.flatMap((topic) => retained.get(topic) ?? []));
}

/**
 * Aedes stores every filter of a SUBSCRIBE when one of them is granted, and would deliver the refused ones at
 * the next connection.
 */
function storeOwnSubscriptionsOnly(persistence: LevelPersistence, sessions: Sessions): void {
  const add = persistence.addSubscriptions.bind(persistence);
  persistence.addSubscriptions = async (client, subscriptions) => {
    const own = readableTopic(client.id);
    await sessions.touch(client.id);
    await add(
      client,
      subscriptions.filter((subscription) => subscription.topic === own),
    );
  };
}

function boundQueues(persistence: LevelPersistence, sessions: Sessions): void {
  const enqueue = persistence.outgoingEnqueueCombi.bind(persistence);
  persistence.outgoingEnqueueCombi = async (subscriptions, packet) => {
    await enqueue(subscriptions, packet);
    await Promise.all(
      subscriptions.map(({ clientId }) => (clientId ? sessions.trimQueue(clientId) : undefined)),
    );
  };
}

/** Aedes awaits delWill without a catch: a rejection there would end the process. */
function toleratesLostWills(persistence: LevelPersistence, log: BrokerLogger): void {
  const del = persistence.delWill.bind(persistence);
  persistence.delWill = (client) =>
    del(client).catch((error: unknown) => {
      log.warn({ err: error, clientId: client.id }, 'will not deleted');
      return undefined;
    });
}
