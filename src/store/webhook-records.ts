import type { WebhookEventType, WebhookFilter } from '../domain/webhook.ts';

/** What stands on disk of webhooks. Times are epoch ms. */

/** A subscription: what is told to whom. It has either `url` or `emailTo`, for as long as it lives. */
export interface WebhookRecord extends WebhookFilter {
  readonly id: string;
  /** Null: it goes out by e-mail. */
  readonly url: string | null;
  /** Addresses; absent and null: it is a webhook. */
  readonly emailTo?: readonly string[] | null;
  readonly enabled: boolean;
  /** Why the service switched it off by itself; absent and null: it did not. */
  readonly paused?: 'gone' | null;
  /** Certificates the receiver's one must lead to, PEM; null = those Node trusts. */
  readonly caPem: string | null;
  /** `whsec_` and base64: it must sign, so it stands here as it is. Null for e-mail. */
  readonly secret: string | null;
  /** The secret before the last rotation, which signs too until then. */
  readonly previous: { readonly secret: string; readonly until: number } | null;
  readonly createdAt: number;
}

/** An event that waits for its delivery to one subscription. */
export interface WebhookEventRecord {
  /** A UUID, the same at every attempt: by it a receiver tells what came twice. */
  readonly id: string;
  readonly type: WebhookEventType;
  /** What it is about: events of one subject go out in order. */
  readonly subject: string;
  readonly at: number;
  /** Since when it waits; absent: written by an earlier version, `at` counts. */
  readonly queuedAt?: number;
  readonly data: object;
  /** How often it was tried in vain, and when it is next. */
  readonly attempts: number;
  readonly nextAt: number;
  /** Addresses that got the e-mail about it while others have to wait. */
  readonly told?: readonly string[];
}

/** An event that was given up. */
export interface DeadWebhookEventRecord extends WebhookEventRecord {
  readonly diedAt: number;
  readonly error: string;
}

/** One attempt to deliver an event. */
export interface WebhookAttemptRecord {
  readonly eventId: string;
  readonly type: WebhookEventType;
  readonly at: number;
  /** From 1. */
  readonly attempt: number;
  readonly outcome: 'delivered' | 'retrying' | 'dead';
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** Of e-mail: how many events were in it. */
  readonly events?: number;
  /** Of e-mail: what the mail server said of it. */
  readonly response?: string;
}
