import type { Flow } from './flow.ts';
import type { Ingress } from './ingress.ts';
import type { Links } from './links.ts';
import type { QuietLog } from './quiet-log.ts';
import type { ReaderBroker } from './reader-broker.ts';
import type { ReaderStore } from './reader-store.ts';
import type { BrokerCounters, BrokerLimits, BrokerOptions } from './types.ts';

/** The parts of a running broker. */
export interface Running {
  readonly options: BrokerOptions;
  readonly limits: BrokerLimits;
  readonly counters: BrokerCounters;
  readonly quiet: QuietLog;
  readonly flow: Flow;
  readonly links: Links;
  readonly ingress: Ingress;
  readonly store: ReaderStore;
  readonly aedes: ReaderBroker;
}
