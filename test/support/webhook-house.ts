import { randomUUID } from 'node:crypto';
import { alertRoutes } from '../../src/features/alerts/alert-routes.ts';
import { assetRoutes } from '../../src/features/assets/asset-routes.ts';
import { WebhookDeliverer } from '../../src/features/webhooks/deliverer.ts';
import type { MailServer } from '../../src/features/webhooks/mail-server.ts';
import { Subscriptions } from '../../src/features/webhooks/subscriptions.ts';
import { type TagMove, webhookEvents } from '../../src/features/webhooks/webhook-events.ts';
import { webhookRoutes } from '../../src/features/webhooks/webhook-routes.ts';
import { createAssetLinks } from '../../src/store/asset-links.ts';
import type { Store, Tx } from '../../src/store/store.ts';
import { tables } from '../../src/store/tables.ts';
import type { WebhookRecord } from '../../src/store/webhook-records.ts';
import { makeWebhookSecret, putEvent } from '../../src/store/webhooks.ts';
import { type AccountHouse, openAccountHouse } from './account-house.ts';

/** A house with webhooks, whose deliverer runs when it is told to, and after writes. */
export interface WebhookHouse {
  readonly house: AccountHouse;
  readonly deliverer: WebhookDeliverer;
  readonly subscriptions: Subscriptions;
  readonly onMoves: (tx: Tx, moves: readonly TagMove[]) => void;
  /** What was logged. */
  readonly logged: string[];
  close(): Promise<void>;
}

/** What webhooks need, over one store. */
export function webhookParts(
  store: Store,
  now: () => number,
  { logged = [], mail = null }: { readonly logged?: string[]; readonly mail?: MailServer | null } = {},
) {
  const subscriptions = new Subscriptions(store);
  const note = (fields: object, message: string): void =>
    void logged.push(`${JSON.stringify(fields)} ${message}`);
  const log = { warn: note, error: note } as unknown as ConstructorParameters<
    typeof WebhookDeliverer
  >[0]['log']; // only these are called
  const deliverer = new WebhookDeliverer({
    ...{ store, subscriptions, mail, writeBlocked: () => null, now, random: () => 0, timeoutMs: 1000, log },
  });
  const hasRoom = (id: string): boolean => deliverer.hasRoom(id);
  const onMoves = webhookEvents({ store, subscriptions, hasRoom, now, newId: randomUUID });
  return { subscriptions, deliverer, onMoves };
}

export async function openWebhookHouse(mail: MailServer | null = null): Promise<WebhookHouse> {
  let parts: ReturnType<typeof webhookParts> | null = null;
  const logged: string[] = [];
  const house = await openAccountHouse({
    more: (shared) => {
      parts = webhookParts(shared.store, shared.now, { logged, mail });
      const { deliverer } = parts;
      const assets = { ...shared, links: createAssetLinks(shared.store) };
      return [...webhookRoutes({ ...shared, deliverer }), ...alertRoutes(shared), ...assetRoutes(assets)];
    },
  });
  // Assigned in the callback, which the compiler can't see.
  const made = parts as ReturnType<typeof webhookParts> | null;
  if (!made) throw new Error('the house asked for no routes');
  await made.deliverer.open();
  return {
    ...{ house, logged, ...made },
    async close() {
      await made.deliverer.stop();
      await house.close();
    },
  };
}

/** Puts a subscription past the interface. */
export async function putWebhook(
  store: Store,
  orgId: string,
  more: Partial<WebhookRecord>,
): Promise<WebhookRecord> {
  const all = { zoneIds: null, assetIds: null, severities: null, caPem: null, previous: null };
  const webhook: WebhookRecord = {
    ...{
      id: randomUUID(),
      url: null,
      enabled: true,
      types: ['alert_opened', 'alert_acked', 'alert_resolved'],
    },
    ...{ ...all, secret: makeWebhookSecret(), createdAt: 0 },
    ...more,
  };
  await store.write((tx) => tx.put(tables.webhooks, [orgId, webhook.id], webhook));
  return webhook;
}

/** Puts an event into the outbox of a subscription past what tells it. Answers its id. */
export async function putWebhookEvent(
  store: Store,
  webhookId: string,
  { subject, at = Date.now(), queuedAt = at }: { subject: string; at?: number; queuedAt?: number },
): Promise<string> {
  const id = randomUUID();
  await store.write((tx) =>
    putEvent(tx, webhookId, { id, type: 'tag_moved', subject, at, queuedAt, data: {} }),
  );
  return id;
}
