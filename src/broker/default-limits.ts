import { limits } from '../domain/limits.ts';
import type { BrokerCounters, BrokerLimits } from './types.ts';

export const defaultMaxConnections = 4000;

/** Sizes in bytes count an MQTT packet after its fixed header: topic, identifier and payload together. */
export const defaultLimits: BrokerLimits = {
  /** A bigger PUBLISH closes its connection before it is read. */
  messageMaxBytes: limits.messageMaxBytes,
  /** Any other packet; a SUBSCRIBE of this size is some milliseconds of work. */
  controlMaxBytes: 16 * 1024,
  /**
   * A reader needs two; the rest is room for dead ones the network forgot to close. The newest is refused.
   */
  connectionsPerName: 16,
  handshakeTimeoutMs: 10_000,
  connectTimeoutMs: 10_000,
  /** How long a client may leave its socket full before it is closed. */
  drainTimeoutMs: 20_000,
  /** Stored wills of a crashed run are removed at every fourth. */
  heartbeatMs: 60_000,
  /** A longer client id gets CONNACK 2. */
  clientIdMaxLength: 128,
  /** Per connection; beyond it the socket is not read. */
  unsettledMessages: 1000,
  unsettledBytes: 1024 * 1024,
  /** Of all connections together; beyond it no socket is read. */
  unsettledTotalBytes: 64 * 1024 * 1024,
  /**
   * Persistent sessions kept per certificate name; the oldest that is not connected goes. Not below
   * `connectionsPerName`.
   */
  sessionsPerName: 16,
  /** Commands waiting per session; the oldest goes. */
  queuedCommands: 32,
};

export function newCounters(): BrokerCounters {
  return {
    tlsErrors: 0,
    connectionsDropped: 0,
    connectionsRefusedByName: 0,
    connectsRefused: 0,
    connectsAccepted: 0,
    connectionErrors: 0,
    publishesAccepted: 0,
    publishesForeign: 0,
    packetsOversized: 0,
    subscriptionsRefused: 0,
    hookErrors: 0,
  };
}
