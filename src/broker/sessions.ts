import type { LevelPersistence } from 'aedes-persistence-level';
import type { Level } from 'level';
import { serialOf } from './client-id.ts';
import type { BrokerLimits } from './types.ts';

export interface SessionsOptions {
  readonly db: Level<string, Buffer>;
  readonly persistence: LevelPersistence;
  readonly limits: BrokerLimits;
  readonly isLive: (scopedId: string, serial: string) => boolean;
}

/**
 * Bounds what persistent sessions can leave on disk: so many sessions per certificate name, so many waiting
 * commands per session. Knows the key layout of aedes-persistence-level (`kind:encoded client id:…`), whose
 * version is pinned.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  /** Per certificate name the scoped ids of its stored sessions, oldest first. */
  readonly #bySerial = new Map<string, Set<string>>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Finds the sessions of earlier runs. */
  async load(): Promise<void> {
    for (const kind of ['subscriptions', 'incoming']) {
      for await (const key of this.#options.db.keys({ gte: `${kind}:`, lt: `${kind};` })) {
        this.#add(decodeURIComponent(key.split(':')[1] ?? ''));
      }
    }
  }

  /**
   * A session is about to be stored: as the newest of its name. The oldest that is not connected makes room.
   */
  async touch(scopedId: string): Promise<void> {
    const serial = serialOf(scopedId);
    const same = this.#add(scopedId);
    if (same.size <= this.#options.limits.sessionsPerName) return;
    for (const id of same) {
      if (id === scopedId || this.#options.isLive(id, serial)) continue;
      same.delete(id);
      await this.#erase(id);
      return;
    }
  }

  /** Keeps the newest commands waiting for a session. */
  async trimQueue(scopedId: string): Promise<void> {
    const { db, limits } = this.#options;
    const waiting = await db.keys(rangeOf('outgoing', scopedId)).all();
    const surplus = waiting.slice(0, Math.max(0, waiting.length - limits.queuedCommands));
    if (surplus.length > 0) await db.batch(surplus.map((key) => ({ type: 'del' as const, key })));
  }

  #add(scopedId: string): Set<string> {
    const serial = serialOf(scopedId);
    const same = this.#bySerial.get(serial) ?? new Set<string>();
    same.delete(scopedId);
    same.add(scopedId);
    this.#bySerial.set(serial, same);
    return same;
  }

  async #erase(scopedId: string): Promise<void> {
    const { db, persistence } = this.#options;
    await persistence.cleanSubscriptions({ id: scopedId });
    await persistence.cleanIncoming({ id: scopedId });
    await db.clear(rangeOf('outgoing', scopedId));
    await db.clear(rangeOf('outgoing-id', scopedId));
  }
}

function rangeOf(kind: string, scopedId: string): { gte: string; lt: string } {
  const prefix = `${kind}:${encodeURIComponent(scopedId)}`;
  return { gte: `${prefix}:`, lt: `${prefix};` };
}
