/** The dated signs of life of a device. Times are epoch ms, null = never. */
export interface DatedSigns {
  readonly firstSeenAt: number | null;
  readonly lastSeenAt: number | null;
  readonly lastEventAt: number | null;
  readonly brokerStatusAt: number | null;
  readonly health: object | null;
  readonly healthAt: number | null;
  /** Connections open now. */
  readonly connections: number;
}

/**
 * The signs that belong to a reader made at `createdAt`: what arrived before came to another owner of the device; only
 * the open connection is today's. A reader made after `now` was made before the clock was set back: its times say nothing then,
 * and all signs are its own. Epoch ms.
 */
export function signsSince<S extends DatedSigns>(signs: S, createdAt: number, now: number): S {
  if (createdAt > now) return signs;
  const since = (at: number | null): number | null => (at !== null && at >= createdAt ? at : null);
  const healthAt = since(signs.healthAt);
  const connected = signs.connections > 0;
  return {
    ...signs,
    firstSeenAt: since(signs.firstSeenAt),
    lastSeenAt: connected ? signs.lastSeenAt : since(signs.lastSeenAt),
    lastEventAt: since(signs.lastEventAt),
    brokerStatusAt: connected ? signs.brokerStatusAt : since(signs.brokerStatusAt),
    health: healthAt === null ? null : signs.health,
    healthAt,
  };
}
