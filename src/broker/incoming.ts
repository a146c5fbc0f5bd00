import type { LevelPersistence, StoredClient, StoredPacket } from 'aedes-persistence-level';
import type { QosTwoPublish } from './ingress.ts';
import type { Link } from './link.ts';
import { linkOf } from './links.ts';
import type { Sessions } from './sessions.ts';

/**
 * Hands a QoS 2 publish to the service; resolves when it is settled, rejects when it could not be handed on.
 */
export type DeliverOnce = (link: Link, packet: QosTwoPublish) => Promise<void>;

const NO_PAYLOAD = Buffer.alloc(0);

/**
 * QoS 2 with the order that keeps what is acknowledged: Aedes asks for the identifier, stores it, publishes,
 * then answers PUBREC. Here storing means first the service, then the identifier (without the payload), so a
 * crash in between makes the client repeat the message, never lose it. A foreign publish only leaves its
 * identifier in memory, until its PUBREL.
 */
export function deliverBeforeStoring(
  persistence: LevelPersistence,
  sessions: Sessions,
  deliver: DeliverOnce,
): void {
  const store = persistence.incomingStorePacket.bind(persistence);
  const underway = new Map<string, Promise<void>>();
  persistence.incomingStorePacket = async (client, packet) => {
    const link = linkOf(client);
    if (!link) return;
    if (link.kindOf(packet.topic) === null) {
      link.foreignIds.add(packet.messageId ?? 0);
      return;
    }
    const key = keyOf(client, packet);
    // Aedes stores inbound packets only for QoS 2, as the parser yields them.
    const stored = deliver(link, packet as StoredPacket & QosTwoPublish)
      .then(() => sessions.touch(client.id))
      .then(() => store(client, { ...packet, payload: NO_PAYLOAD }));
    underway.set(key, stored);
    await stored.finally(() => {
      if (underway.get(key) === stored) underway.delete(key);
    });
  };
  findUnderway(persistence, underway);
  forgetForeign(persistence);
}

/**
 * A repeated publish whose first copy is still being stored (the connection broke meanwhile) waits for that
 * one.
 */
function findUnderway(persistence: LevelPersistence, underway: ReadonlyMap<string, Promise<void>>): void {
  const get = persistence.incomingGetPacket.bind(persistence);
  persistence.incomingGetPacket = async (client, packet) => {
    if (linkOf(client)?.foreignIds.has(packet.messageId ?? 0)) return packet;
    const first = packet.dup ? underway.get(keyOf(client, packet)) : undefined;
    if (!first) return get(client, packet);
    await first;
    return packet;
  };
}

function forgetForeign(persistence: LevelPersistence): void {
  const del = persistence.incomingDelPacket.bind(persistence);
  persistence.incomingDelPacket = async (client, packet) => {
    if (linkOf(client)?.foreignIds.delete(packet.messageId ?? 0)) return;
    await del(client, packet);
  };
}

function keyOf(client: StoredClient, packet: StoredPacket): string {
  return `${packet.messageId} ${client.id}`;
}
