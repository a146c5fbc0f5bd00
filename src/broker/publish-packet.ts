import type { PublishPacket } from 'aedes';

/** Only what the parser read as a PUBLISH carries its command's name; a will is a part of a CONNECT. */
export function isWill(packet: { readonly cmd?: string }): boolean {
  return packet.cmd !== 'publish';
}

/**
 * The parser reads an identifier that a packet has no room for from the packet behind it. Own topics have one
 * byte per character.
 */
export function isMalformed(packet: PublishPacket): boolean {
  if (packet.qos === 0) return false;
  const { messageId = 0, length = 0 } = packet;
  return messageId < 1 || length !== packet.topic.length + packet.payload.length + 4;
}
