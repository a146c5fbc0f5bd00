import { randomUUID } from 'node:crypto';
import type { Config } from '../config/options.ts';
import { assetMoves } from '../features/assets/asset-moves.ts';
import { WebhookDeliverer } from '../features/webhooks/deliverer.ts';
import { readMailFiles } from '../features/webhooks/mail-files.ts';
import { MailServer } from '../features/webhooks/mail-server.ts';
import { moveWeight, webhookEvents } from '../features/webhooks/webhook-events.ts';
import type { LiveBus } from '../live/bus.ts';
import type { Log } from '../log/log.ts';
import type { DiskGuard } from '../store/disk-guard.ts';
import type { Store } from '../store/store.ts';
import type { Closers } from './closers.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import type { Registers } from './registers.ts';

/** What of the house the pipeline needs. */
export interface PipelineHouse {
  readonly options: { readonly config: Config; readonly log: Log };
  readonly now: () => number;
  readonly closers: Closers;
  readonly store: Store;
  readonly disk: DiskGuard;
  readonly bus: LiveBus;
}

/** The site's mail server, whose files can be read; null when there is none. Throws `MailFileError`. */
async function openMail({ mail }: Config): Promise<MailServer | null> {
  const { host, from } = mail;
  if (host === null || from === null) return null;
  // What is wrong with them is told at the start, not at the first alert.
  await readMailFiles(mail);
  return new MailServer({ ...mail, host, from });
}

/** What delivers webhooks and e-mail, with what an earlier run left to deliver. */
export async function openWebhooks(
  { options, store, now, disk, closers }: PipelineHouse,
  registers: Registers,
): Promise<WebhookDeliverer> {
  const { subscriptions } = registers;
  const log = options.log.child({ name: 'webhooks' });
  const mail = await openMail(options.config);
  const writeBlocked = (): string | null => disk.blocked;
  const webhooks = new WebhookDeliverer({ store, subscriptions, mail, writeBlocked, now, log });
  await webhooks.open();
  closers.add('webhooks', () => webhooks.stop());
  return webhooks;
}

/** The pipeline, with what follows from the moves of a batch in its own transaction: asset timelines and webhooks. */
export function openPipeline(
  house: PipelineHouse,
  registers: Registers,
  webhooks: WebhookDeliverer,
): Pipeline {
  const { options, store, bus, now, disk } = house;
  const { descriptions, links, commands, subscriptions } = registers;
  const hasRoom = (webhookId: string): boolean => webhooks.hasRoom(webhookId);
  const toWebhooks = webhookEvents({ store, subscriptions, hasRoom, now, newId: randomUUID });
  const toAssets = assetMoves({ links });
  return createPipeline({
    ...{ config: options.config, store, commands, bus, now },
    writeBlocked: () => disk.blocked,
    describe: (orgId, tagNo) => descriptions.describe(orgId, tagNo),
    onMoves: (tx, moves) => {
      toAssets(tx, moves);
      toWebhooks(tx, moves);
    },
    moveWeight: (orgId) => moveWeight(subscriptions, orgId),
    log: options.log.child({ name: 'ingest' }),
  });
}
