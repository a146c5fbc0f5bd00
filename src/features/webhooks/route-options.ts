import type { Store } from '../../store/store.ts';
import type { WebhookDeliverer } from './deliverer.ts';

/** What the routes of webhooks are put together with. */
export interface WebhookRoutesOptions {
  readonly store: Store;
  readonly deliverer: Pick<WebhookDeliverer, 'waiting' | 'test' | 'hasMailServer'>;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
}
