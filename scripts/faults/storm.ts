import { setTimeout as sleep } from 'node:timers/promises';
import { Metrics } from '../bench/metrics.ts';
import { percentile } from '../bench/percentile.ts';
import { type Fault, type FaultContext, type Figure, outcomeOf } from './fault.ts';
import { type Seen, SoakHouse } from './soak-house.ts';

const READERS = 1000;
const READERS_QUICK = 100;
/** More than any of them reads, so that every read is of a tag of its own and its loss would show. */
const TAGS_PER_READER = 300;
/** One a second and reader; they go on while the service is away. */
const READS_PER_SECOND_EACH = 1;
const BACK_MAX_S = 30;
const REST_P99_MAX_MS = 1000;
/** After the last one is back, so that REST is looked at while the backlog is worked off. */
const AFTERMATH_MS = 3000;

/** Every reader of a site comes back at once. */
export const storm: Fault = {
  name: 'storm',
  must: `${READERS} readers are back within ${BACK_MAX_S} s of a restart, none refused; no acknowledged read is lost; REST p99 ≤ ${REST_P99_MAX_MS} ms meanwhile`,
  async run(context: FaultContext) {
    const readers = context.quick ? READERS_QUICK : READERS;
    context.log(`${readers} certificates`);
    const fleet = { readers, tagsPerReader: TAGS_PER_READER };
    const house = await SoakHouse.open({ folder: context.folder, fleet });
    try {
      await house.connect();
      return await restarts(house, context);
    } finally {
      await house.close();
    }
  },
};

interface Storm {
  readonly downMs: number;
  /** From the moment the service was ready, of every reader; NaN for one that is not back. */
  readonly backMs: readonly number[];
  readonly seen: Seen;
  /** The longest time the event loop did nothing else, in ms. */
  readonly stallMs: number;
  readonly turnedAway: number;
  /** Handshakes that did not come to their end: work for nothing. */
  readonly handshakesFailed: number;
  readonly megabytes: number;
}

async function restarts(house: SoakHouse, { quick, log, signal }: FaultContext) {
  const readsPerSecond = house.fleet.readers.length * READS_PER_SECOND_EACH;
  house.fleet.start({ readsPerSecond, readsPerMessage: 1 });
  const storms: Storm[] = [];
  for (let nth = 1; nth <= (quick ? 1 : 3); nth++) {
    await sleep(3000, undefined, { signal });
    const one = await restart(house, signal);
    storms.push(one);
    const back = one.backMs.length - awayOf(one);
    const { rest } = one.seen;
    log(`storm ${nth}: ${back} back, ${one.handshakesFailed} handshakes failed, REST p99 ${ms(rest.p99Ms)}`);
  }
  const faults = [...storms.flatMap(contradictions), ...(await house.lost())];
  const { acknowledged } = house.fleet.ledger;
  return outcomeOf([...figures(storms), { what: 'reads acknowledged', value: String(acknowledged) }], faults);
}

async function restart(house: SoakHouse, signal: AbortSignal): Promise<Storm> {
  const { fleet } = house;
  const stoppedAt = performance.now();
  await house.restart();
  const readyAt = performance.now();
  const seen = await house.during(async () => {
    const limit = readyAt + 2 * BACK_MAX_S * 1000;
    while (fleet.connected < fleet.readers.length && performance.now() < limit)
      await sleep(50, undefined, { signal });
    await sleep(AFTERMATH_MS, undefined, { signal });
  });
  const metrics = await Metrics.of(house.target.origin);
  const refused = ['connections_dropped', 'connections_refused_by_name', 'connects_refused'];
  return {
    downMs: readyAt - stoppedAt,
    backMs: fleet.readers.map((reader) =>
      reader.connected ? Math.max(0, reader.connectedAt - readyAt) : Number.NaN,
    ),
    seen,
    stallMs: metrics.get('nodejs_eventloop_lag_max_seconds') * 1000,
    turnedAway: refused.reduce((sum, name) => sum + metrics.get(`tagkeep_broker_${name}_total`), 0),
    handshakesFailed: metrics.get('tagkeep_broker_tls_errors_total'),
    megabytes: house.megabytes,
  };
}

function figures(storms: readonly Storm[]): readonly Figure[] {
  const list = (of: (storm: Storm) => string): string => storms.map(of).join(', ');
  return [
    { what: 'readers', value: String(storms[0]?.backMs.length ?? 0) },
    { what: 'service away', value: list(({ downMs }) => seconds(downMs)) },
    { what: 'half of them back', value: list(({ backMs }) => seconds(percentile(backMs, 0.5))) },
    { what: 'all back', value: list((one) => (awayOf(one) > 0 ? 'no' : seconds(Math.max(...one.backMs)))) },
    { what: 'handshakes that failed', value: list(({ handshakesFailed }) => String(handshakesFailed)) },
    { what: 'REST p99', value: list(({ seen }) => ms(seen.rest.p99Ms)) },
    { what: 'PUBACK p99, the backlog included', value: list(({ seen }) => ms(seen.answersP99Ms)) },
    { what: 'longest stall of the event loop', value: list(({ stallMs }) => ms(stallMs)) },
    { what: 'memory', value: list(({ megabytes }) => `${megabytes.toFixed(0)} MB`) },
  ];
}

function contradictions({ backMs, seen: { rest }, turnedAway }: Storm): readonly string[] {
  const faults: string[] = [];
  const away = awayOf({ backMs });
  const latest = Math.max(0, ...backMs.filter((time) => !Number.isNaN(time)));
  if (away > 0) faults.push(`${away} readers are not back`);
  if (latest > BACK_MAX_S * 1000) faults.push(`the last reader was back after ${seconds(latest)}`);
  if (turnedAway > 0) faults.push(`${turnedAway} connections were refused`);
  if (rest.failed > 0) faults.push(`${rest.failed} of ${rest.requests} REST requests failed`);
  if (!(rest.p99Ms <= REST_P99_MAX_MS)) faults.push(`REST p99 was ${ms(rest.p99Ms)}`);
  return faults;
}

function awayOf({ backMs }: Pick<Storm, 'backMs'>): number {
  return backMs.filter((time) => Number.isNaN(time)).length;
}

function seconds(value: number): string {
  return `${(value / 1000).toFixed(1)} s`;
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
