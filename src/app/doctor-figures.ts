import { figuresIn } from './doctor-appliance.ts';
import type { Finding, FindingLevel } from './doctor-finding.ts';
import type { Sight } from './doctor-sight.ts';

/** A figure of `/metrics` that is worth a word above `over`. */
interface Watched {
  readonly metric: string;
  readonly check: string;
  readonly level: FindingLevel;
  readonly over: number;
  /** What it counts, after the number. */
  readonly means: string;
  readonly advice?: string;
}

const QUEUE_LONG = 1000;
/** The ring of the journal has 1,024. */
const JOURNAL_NEARLY_FULL = 900;

const ingest: readonly Watched[] = [
  {
    ...{ metric: 'tagkeep_ingest_queued_messages', check: 'ingest', level: 'warning', over: QUEUE_LONG },
    ...{ means: 'messages wait for the disk', advice: 'the disk is slow, or more is read than it can take' },
  },
  {
    ...{ metric: 'tagkeep_ingest_shed_total', check: 'ingest', level: 'warning', over: 0 },
    ...{ means: 'messages were refused because the queue was full; their readers send them again' },
  },
  {
    ...{ metric: 'tagkeep_ingest_dropped_total', check: 'ingest', level: 'note', over: 0 },
    ...{ means: 'messages were dropped: their devices are not claimed, or out of service' },
  },
  {
    ...{ metric: 'tagkeep_tags_evicted_total', check: 'ingest', level: 'warning', over: 0 },
    ...{ means: 'tags were let go because too many were in view', advice: 'raise ingest.maxTagsInView' },
  },
  {
    ...{ metric: 'tagkeep_journal_batches', check: 'ingest', level: 'warning', over: JOURNAL_NEARLY_FULL },
    ...{ means: 'batches wait for their tables; at 1,024 reads have to wait' },
  },
];

const streams: readonly Watched[] = [
  { metric: 'tagkeep_stream_consumers', check: 'stream', level: 'ok', over: -1, means: 'open live streams' },
  {
    ...{ metric: 'tagkeep_stream_dropped_total', check: 'stream', level: 'warning', over: 0 },
    ...{ means: 'events were dropped for consumers that did not read' },
    advice: 'find the consumer that is slow or stopped; it is told to read again by a resync',
  },
  {
    ...{ metric: 'tagkeep_stream_resyncs_total', check: 'stream', level: 'note', over: 0 },
    ...{ means: 'times a consumer was told that it missed events for good' },
  },
];

const broker: readonly Watched[] = [
  {
    ...{ metric: 'tagkeep_broker_connections_dropped_total', check: 'broker', level: 'warning', over: 0 },
    ...{ means: 'connections were refused: too many at one time', advice: 'raise broker.maxConnections' },
  },
  {
    ...{
      metric: 'tagkeep_broker_connections_refused_by_name_total',
      check: 'broker',
      level: 'warning',
      over: 0,
    },
    ...{ means: 'connections were refused: too many with one certificate' },
    advice: 'find what connects with a copy of a reader identity',
  },
  {
    ...{ metric: 'tagkeep_broker_connects_refused_total', check: 'broker', level: 'warning', over: 0 },
    ...{ means: 'connects were refused: revoked, expired, unknown or malformed; the log names each' },
  },
  {
    ...{ metric: 'tagkeep_broker_publishes_foreign_total', check: 'broker', level: 'warning', over: 0 },
    ...{ means: "publishes on a topic that is not the reader's own were dropped" },
    advice: "the topic in the reader's MQTT settings has another serial, or none",
  },
  {
    ...{ metric: 'tagkeep_broker_packets_oversized_total', check: 'broker', level: 'warning', over: 0 },
    ...{ means: 'messages over 256 kB closed their connections' },
  },
  {
    ...{ metric: 'tagkeep_broker_subscriptions_refused_total', check: 'broker', level: 'note', over: 0 },
    ...{ means: 'subscriptions to topics of others were refused' },
  },
  {
    ...{ metric: 'tagkeep_broker_tls_errors_total', check: 'broker', level: 'note', over: 0 },
    ...{ means: 'TLS handshakes failed; the log names the reasons' },
  },
  {
    ...{ metric: 'tagkeep_broker_connection_errors_total', check: 'broker', level: 'note', over: 0 },
    ...{ means: 'connections were closed by an error of protocol, size, time or network' },
  },
  {
    ...{ metric: 'tagkeep_broker_hook_errors_total', check: 'broker', level: 'warning', over: 0 },
    ...{ means: 'faults inside the service', advice: 'send a support bundle to the vendor' },
  },
];

const webhooks: readonly Watched[] = [
  {
    ...{ metric: 'tagkeep_webhook_dropped_total', check: 'webhook', level: 'warning', over: 0 },
    ...{ means: 'events were not kept at all, because far too many waited', advice: 'see to the receivers' },
  },
];

/** Queues, drops and refusals of the running appliance, counted since its start. One line each, and `ok` where there are none. */
export function checkFigures({ running }: Sight): readonly Finding[] {
  if (running.metrics === null) return [];
  const figures = figuresIn(running.metrics);
  return [ingest, broker, streams, webhooks].flatMap((group) => {
    const found = group.flatMap((watched) => findingOf(watched, figures.get(watched.metric)));
    const check = group[0]?.check ?? '';
    const isQuiet = found.every(({ level }) => level === 'ok');
    const fine: Finding = { check, level: 'ok', message: 'nothing dropped or refused since the start' };
    return isQuiet ? [...found, fine] : found;
  });
}

function findingOf({ check, level, over, means, advice }: Watched, figure: number | undefined): Finding[] {
  if (figure === undefined || figure <= over) return [];
  return [{ check, level, message: `${figure} ${means}`, ...(advice !== undefined && { advice }) }];
}
