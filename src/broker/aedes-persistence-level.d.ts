/** The package carries no types; these are the parts of its interface that are used or wrapped here. */
declare module 'aedes-persistence-level' {
  import type { Readable } from 'node:stream';

  namespace createPersistence {
    interface StoredClient {
      readonly id: string;
    }
    interface StoredPacket {
      readonly topic: string;
      readonly payload: Buffer | string;
      readonly messageId?: number | undefined;
      readonly dup?: boolean;
    }
    interface StoredSubscription {
      readonly topic: string;
      readonly clientId?: string | undefined;
    }
    interface LevelPersistence {
      storeRetained(packet: StoredPacket): Promise<void>;
      createRetainedStream(pattern: string): Readable;
      createRetainedStreamCombi(patterns: readonly string[]): Readable;
      addSubscriptions(client: StoredClient, subscriptions: readonly StoredSubscription[]): Promise<void>;
      cleanSubscriptions(client: StoredClient): Promise<void>;
      outgoingEnqueueCombi(subscriptions: readonly StoredSubscription[], packet: StoredPacket): Promise<void>;
      incomingStorePacket(client: StoredClient, packet: StoredPacket): Promise<void>;
      incomingGetPacket(client: StoredClient, packet: StoredPacket): Promise<unknown>;
      incomingDelPacket(client: StoredClient, packet: StoredPacket): Promise<void>;
      cleanIncoming(client: StoredClient): Promise<void>;
      putWill(
        client: StoredClient,
        will: { topic: string; payload: Buffer; qos: number; retain: boolean },
      ): Promise<void>;
      delWill(client: StoredClient): Promise<unknown>;
    }
  }

  function createPersistence(db: unknown): createPersistence.LevelPersistence;
  export = createPersistence;
}
