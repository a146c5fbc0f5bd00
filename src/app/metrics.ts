import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Broker } from '../broker/types.ts';
import type { WebhookDeliverer } from '../features/webhooks/deliverer.ts';
import type { LiveBus } from '../live/bus.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { registerBackups } from './backup-metrics.ts';
import type { BackupFigures } from './backup-schedule.ts';
import type { CertificateHealth } from './certificate-health.ts';
import { type HouseSources, registerHouse } from './house-metrics.ts';
import type { Pipeline } from './pipeline.ts';
import { registerReaders } from './reader-metrics.ts';

export interface MetricsSources extends HouseSources {
  readonly store: Pick<Store, 'count'>;
  readonly pipeline: Pipeline;
  readonly broker: Broker;
  readonly bus: LiveBus;
  readonly webhooks: WebhookDeliverer;
  readonly backups: { readonly figures: BackupFigures };
  readonly certificates: CertificateHealth;
  /** Epoch ms. */
  readonly now: () => number;
}

/** A figure that is read when Prometheus asks: counted elsewhere, only shown here. */
interface Figure {
  readonly name: string;
  readonly help: string;
  readonly kind: 'counter' | 'gauge';
  readonly read: () => number;
}

/** The registry behind `/metrics`. Nothing in it grows with tags; of readers 200 have series of their own. */
export function createMetrics(sources: MetricsSources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const figures = [...ingestFigures(sources), ...edgeFigures(sources), ...webhookFigures(sources.webhooks)];
  for (const figure of figures) register(registry, figure);
  registerHouse(registry, sources);
  registerReaders(registry, sources.pipeline);
  registerCertificates(registry, sources.certificates, sources.now);
  registerBackups(registry, () => sources.backups.figures);
  return registry;
}

/** A few series each, however many readers there are. */
function registerCertificates(registry: Registry, health: CertificateHealth, now: () => number): void {
  const secondsUntil = (at: number): number => Math.floor((at - now()) / 1000);
  new Gauge({
    name: 'tagkeep_certificate_expires_seconds',
    help: 'Seconds until the end of the CA certificate, the own server certificate, the certificate of https.certFile, and the first reader certificate to end; negative after it',
    labelNames: ['certificate'],
    registers: [registry],
    async collect() {
      this.reset();
      this.set({ certificate: 'ca' }, secondsUntil(health.caNotAfter));
      this.set({ certificate: 'server' }, secondsUntil(health.serverNotAfter));
      if (health.webNotAfter !== null) this.set({ certificate: 'web' }, secondsUntil(health.webNotAfter));
      const { soonestEnd } = await health.readers();
      if (soonestEnd !== null) this.set({ certificate: 'reader' }, secondsUntil(soonestEnd));
    },
  });
  new Gauge({
    name: 'tagkeep_reader_certificates',
    help: 'Certificates issued to readers; expiring = within 90 days, superseded = another of the same reader ends later',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const { byState } = await health.readers();
      for (const [state, count] of Object.entries(byState)) this.set({ state }, count);
    },
  });
}

function register(registry: Registry, { name, help, kind, read }: Figure): void {
  if (kind === 'gauge') {
    new Gauge({ name, help, registers: [registry], collect: gaugeReader(read) });
    return;
  }
  let shown = 0;
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      const now = read();
      this.inc(now - shown);
      shown = now;
    },
  });
}

function gaugeReader(read: () => number): (this: Gauge) => void {
  return function collect(this: Gauge) {
    this.set(read());
  };
}

function ingestFigures({ pipeline, store }: MetricsSources): readonly Figure[] {
  const { ingest, views, ledger, diagnostics } = pipeline;
  const sum = (pick: (counters: ReturnType<typeof diagnostics.of>) => number): number => {
    let total = 0;
    for (const [, counters] of diagnostics.all()) total += pick(counters);
    return total;
  };
  const counter = (name: string, help: string, read: () => number): Figure => ({
    name,
    help,
    kind: 'counter',
    read,
  });
  const gauge = (name: string, help: string, read: () => number): Figure => ({
    name,
    help,
    kind: 'gauge',
    read,
  });
  return [
    counter('tagkeep_ingest_messages_total', 'Event messages taken from readers', () =>
      sum((one) => one.messages),
    ),
    counter('tagkeep_ingest_reads_total', 'Reads decoded from them', () => sum((one) => one.reads)),
    counter('tagkeep_ingest_repeats_total', 'Reads that were not newer than known', () =>
      sum((one) => one.repeats),
    ),
    counter('tagkeep_ingest_rejected_total', 'Items that could not be read', () =>
      sum((one) => one.rejected),
    ),
    counter('tagkeep_ingest_dropped_total', 'Messages of devices whose data is refused', () =>
      sum((one) => one.dropped),
    ),
    counter('tagkeep_ingest_clock_skewed_total', 'Reads from the future', () =>
      sum((one) => one.clockSkewed),
    ),
    counter('tagkeep_ingest_batches_total', 'Transactions of reads', () => ingest.batches),
    counter('tagkeep_ingest_shed_total', 'Messages refused because the queue was full', () => ingest.shed),
    counter('tagkeep_tags_evicted_total', 'Tags let go because too many were in view', () => views.evicted),
    gauge('tagkeep_ingest_queued_messages', 'Messages waiting for the disk', () => ingest.queuedMessages),
    gauge('tagkeep_ingest_stalled', '1 while reads are not acknowledged', () =>
      ingest.stalled === null ? 0 : 1,
    ),
    gauge('tagkeep_tags_in_view', 'Tags followed now', () => views.count),
    gauge('tagkeep_tags_known', 'Tags known', () => store.count(tables.tags)),
    gauge('tagkeep_journal_batches', 'Batches not yet in their tables', () => ledger.pending),
  ];
}

function edgeFigures({ broker, bus }: MetricsSources): readonly Figure[] {
  const counted: readonly Figure[] = Object.keys(broker.counters).map((key) => ({
    name: `tagkeep_broker_${snakeCase(key)}_total`,
    help: `Broker: ${snakeCase(key).replaceAll('_', ' ')}`,
    kind: 'counter',
    // The keys were just taken from this very object.
    read: () => broker.counters[key as keyof typeof broker.counters],
  }));
  return [
    ...counted,
    {
      name: 'tagkeep_stream_consumers',
      help: 'Open live streams',
      kind: 'gauge',
      read: () => bus.counters.consumers,
    },
    {
      name: 'tagkeep_stream_delivered_total',
      help: 'Events times consumers',
      kind: 'counter',
      read: () => bus.counters.delivered,
    },
    {
      name: 'tagkeep_stream_dropped_total',
      help: 'Events dropped for consumers that did not read',
      kind: 'counter',
      read: () => bus.counters.dropped,
    },
    {
      name: 'tagkeep_stream_resumed_total',
      help: 'Consumers that came back and went on where they had been',
      kind: 'counter',
      read: () => bus.counters.resumed,
    },
    {
      name: 'tagkeep_stream_replayed_total',
      help: 'Events sent to them that they had missed',
      kind: 'counter',
      read: () => bus.counters.replayed,
    },
    {
      name: 'tagkeep_stream_resyncs_total',
      help: 'Times a consumer was told that it missed events for good',
      kind: 'counter',
      read: () => bus.counters.resyncs,
    },
  ];
}

function webhookFigures(webhooks: WebhookDeliverer): readonly Figure[] {
  const counter = (name: keyof WebhookDeliverer['counters'], help: string): Figure => ({
    ...{ name: `tagkeep_webhook_${name}_total`, help, kind: 'counter' },
    read: () => webhooks.counters[name],
  });
  return [
    {
      ...{
        name: 'tagkeep_webhook_waiting_events',
        help: 'Events not delivered to webhooks, or by e-mail, yet',
        kind: 'gauge',
      },
      read: () => webhooks.waiting(),
    },
    counter('delivered', 'Events delivered to webhooks or by e-mail'),
    counter('failed', 'Attempts to deliver to a webhook or by e-mail that failed'),
    counter('dropped', 'Webhook events not kept at all, because far too many waited'),
    counter('dead', 'Webhook events given up: after three days, or because too many waited'),
  ];
}

function snakeCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
