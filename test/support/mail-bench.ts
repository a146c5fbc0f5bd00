import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebhookEventType } from '../../src/domain/webhook.ts';
import { type MailOptions, MailServer } from '../../src/features/webhooks/mail-server.ts';
import { tables } from '../../src/store/tables.ts';
import type { WebhookAttemptRecord, WebhookRecord } from '../../src/store/webhook-records.ts';
import { putEvent } from '../../src/store/webhooks.ts';
import { MailReceiver, mailCertificates } from './mail-receiver.ts';
import { type StoreFolder, storeFolder } from './store-folder.ts';
import { until } from './wait.ts';
import { putWebhook, webhookParts } from './webhook-house.ts';

const login = { user: 'tagkeep@example.org', password: 'canary-mail-password' };
const orgId = 'org';

/** A store whose deliverer sends e-mail to a real mail server with STARTTLS and a login. The clock is the test's. */
export interface MailBench {
  readonly dir: string;
  readonly folder: StoreFolder;
  readonly receiver: MailReceiver;
  readonly certificates: Awaited<ReturnType<typeof mailCertificates>>;
  readonly options: MailOptions;
  readonly login: { readonly user: string; readonly password: string };
  parts: ReturnType<typeof webhookParts>;
  now: number;
}

export async function openMailBench(): Promise<MailBench> {
  const dir = mkdtempSync(join(tmpdir(), 'tagkeep-mail-'));
  writeFileSync(join(dir, 'password'), `${login.password}\n`);
  const certificates = await mailCertificates(dir);
  const receiver = new MailReceiver();
  receiver.login = login;
  const port = await receiver.open(certificates.tls);
  const files = { passwordFile: join(dir, 'password'), caFile: certificates.caFile };
  const from = 'tagkeep@site.example';
  const options: MailOptions = {
    host: 'localhost',
    port,
    security: 'starttls',
    user: login.user,
    from,
    ...files,
  };
  const folder = storeFolder();
  const clock = { now: Date.UTC(2026, 2, 2, 9) };
  const parts = webhookParts(folder.store, () => clock.now, { mail: new MailServer(options) });
  await parts.deliverer.open();
  return Object.assign(clock, { dir, folder, receiver, certificates, options, login, parts });
}

/** As a restart, with other options if given. */
export async function restart(bench: MailBench, more: Partial<MailOptions> = {}): Promise<void> {
  await bench.parts.deliverer.stop();
  await bench.folder.reopen();
  const mail = new MailServer({ ...bench.options, ...more });
  bench.parts = webhookParts(bench.folder.store, () => bench.now, { mail });
  await bench.parts.deliverer.open();
}

export async function closeMailBench({ parts, folder, receiver, dir }: MailBench): Promise<void> {
  await parts.deliverer.stop();
  await folder.close();
  await receiver.close();
  rmSync(dir, { recursive: true });
}

export function subscribe(bench: MailBench, emailTo: readonly string[] = ['lead@example.org']) {
  return putWebhook(bench.folder.store, orgId, { emailTo, secret: null });
}

interface Put {
  readonly webhook: WebhookRecord;
  readonly count: number;
  /** The number that the first one is called by. */
  readonly first?: number;
  readonly type?: WebhookEventType;
}

/** Events about tags called by numbers: moves, or alerts. */
export function put(bench: MailBench, { webhook, count, first = 0, type = 'tag_moved' }: Put): Promise<void> {
  return bench.folder.store.write((tx) => {
    for (let n = first; n < first + count; n++) {
      const moved = { epc: `AB${n}`, label: `tag ${n};`, toZoneId: 'z', zoneName: 'Hall' };
      const alert = { state: 'open', severity: 'critical', message: `tag ${n}; is lost` };
      const data = type === 'tag_moved' ? moved : alert;
      const [at, queuedAt] = [bench.now, bench.now];
      putEvent(tx, webhook.id, { id: randomUUID(), type, subject: `tag:${n % 7}`, at, queuedAt, data });
    }
  });
}

/** The numbers in every message that was taken. */
export function told({ receiver }: MailBench): readonly (readonly number[])[] {
  return receiver.taken.map(({ text }) => [...text.matchAll(/tag (\d+);/g)].map(([, no]) => Number(no)));
}

export function waiting({ folder }: MailBench): number {
  return folder.store.count(tables.webhookOutbox);
}

/** Every attempt of every subscription that is kept. */
export function attempts({ folder }: MailBench): readonly WebhookAttemptRecord[] {
  return [...folder.store.range(tables.webhookAttempts)].map(({ value }) => value);
}

/** Once so many messages were tried. */
export function tried(bench: MailBench, count: number): Promise<unknown> {
  return until(`${count} attempts`, async () => {
    await bench.parts.deliverer.run();
    return attempts(bench).length >= count;
  });
}

/** Runs, with the clock ahead each time, until nothing waits. */
export function drained(bench: MailBench, stepMs = 10_000): Promise<unknown> {
  return until('nothing to wait', async () => {
    await bench.parts.deliverer.run();
    if (bench.receiver.inFlight === 0) bench.now += stepMs;
    return waiting(bench) === 0;
  });
}
