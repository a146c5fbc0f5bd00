import { type WebhookEventType, type WebhookTraits, wantsEvent } from '../../domain/webhook.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type { WebhookRecord } from '../../store/webhook-records.ts';

/** A subscription with its organisation. */
export interface Subscription {
  readonly orgId: string;
  readonly webhook: WebhookRecord;
}

/**
 * All subscriptions in memory: with none, asking whether an event is wanted is one look. Loaded at the start, then kept
 * right by the store's own news of what is durable.
 */
export class Subscriptions {
  readonly #byId = new Map<string, Subscription>();
  /** Those in use, by organisation; one without any has no entry. */
  #active = new Map<string, readonly WebhookRecord[]>();

  constructor(store: Store) {
    for (const { key, value } of store.range(tables.webhooks))
      this.#byId.set(key[1], { orgId: key[0], webhook: value });
    this.#index();
    store.watch(tables.webhooks, (keys) => {
      for (const [orgId, id] of keys) {
        const webhook = store.get(tables.webhooks, [orgId, id]);
        if (webhook) this.#byId.set(id, { orgId, webhook });
        else this.#byId.delete(id);
      }
      this.#index();
    });
  }

  get none(): boolean {
    return this.#active.size === 0;
  }

  byId(id: string): Subscription | undefined {
    return this.#byId.get(id);
  }

  ids(): Iterable<string> {
    return this.#byId.keys();
  }

  /** The organisations that are told of one of these types of events. */
  organisationsFor(isMeant: (type: WebhookEventType) => boolean): readonly string[] {
    if (this.none) return [];
    return [...this.#active].flatMap(([orgId, webhooks]) =>
      webhooks.some(({ types }) => types.some(isMeant)) ? [orgId] : [],
    );
  }

  /** How many subscriptions of an organisation are told of a type of events, at most. Asked for every move. */
  countFor(orgId: string, type: WebhookEventType): number {
    let count = 0;
    for (const { types } of this.#active.get(orgId) ?? []) if (types.includes(type)) count++;
    return count;
  }

  /** The subscriptions of an organisation that want an event. */
  wanting(orgId: string, traits: WebhookTraits): readonly WebhookRecord[] {
    return this.#active.get(orgId)?.filter((webhook) => wantsEvent(webhook, traits)) ?? [];
  }

  #index(): void {
    const active = new Map<string, WebhookRecord[]>();
    for (const { orgId, webhook } of this.#byId.values()) {
      if (!webhook.enabled) continue;
      const webhooks = active.get(orgId);
      if (webhooks) webhooks.push(webhook);
      else active.set(orgId, [webhook]);
    }
    this.#active = active;
  }
}
