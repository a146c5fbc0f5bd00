import { join } from 'node:path';
import { topicOf } from '../contract/topics.ts';
import { BrokerLink, clientIdOf } from '../device/broker-link.ts';
import { Delivery } from '../device/delivery.ts';
import { AckOutbox } from './ack-outbox.ts';
import type { AgentIdentity } from './agent-identity.ts';
import { findBroker } from './broker-address.ts';
import { CommandRunner } from './command-runner.ts';
import { decodeCommand } from './decode-command.ts';
import { type Forwarding, startForwarding } from './forwarding.ts';
import { HealthCheck } from './health.ts';
import { LocalRest } from './local-rest.ts';
import { machineLoad } from './machine.ts';
import type { AgentOptions } from './options.ts';
import { Pulse } from './pulse.ts';
import { StateFile } from './state-file.ts';
import { agentVersion } from './version.ts';

export interface AgentParts {
  readonly options: AgentOptions;
  readonly identity: AgentIdentity;
  /** Takes one line without a line end. */
  readonly log: (line: string) => void;
  /** Between two health messages, ms; 30 s when absent. */
  readonly healthEveryMs?: number;
  readonly keepaliveSeconds?: number;
}

export interface Agent {
  /** Connected to the broker, and subscribed to the reader's commands. */
  readonly ready: boolean;
  /** Leaves the broker with a DISCONNECT; what the reader does goes on. */
  stop(): Promise<void>;
}

/** How long the last words may take. */
const GOODBYE_MS = 2000;

/**
 * The on-reader agent: takes the service's commands from the broker, carries them out at the reader's local REST interface,
 * answers, and tells how the reader fares. Starts at once, whatever is away; throws only what options make it.
 */
export function startAgent(parts: AgentParts): Agent {
  const running = new RunningAgent(parts);
  running.connect().catch((error: unknown) => {
    parts.log(`the broker cannot be dialled: ${error instanceof Error ? error.message : String(error)}`);
  });
  return running;
}

class RunningAgent implements Agent {
  readonly #parts: AgentParts;
  readonly #rest: LocalRest;
  readonly #delivery: Delivery;
  readonly #acks: AckOutbox;
  readonly #runner: CommandRunner;
  readonly #pulse: Pulse;
  readonly #stopping = new AbortController();
  #forwarding: Forwarding | undefined;
  #link: BrokerLink | undefined;
  #isSubscribed = false;

  constructor(parts: AgentParts) {
    const { options, identity, log } = parts;
    const { serial } = identity.identity;
    this.#parts = parts;
    this.#rest = new LocalRest({ base: options.reader, login: identity.login });
    this.#delivery = new Delivery(linkOf(() => this.#link));
    this.#acks = new AckOutbox(this.#delivery, topicOf(serial, 'command-response'));
    const state = new StateFile(join(options.dir, 'agent', 'state.json'), log);
    this.#runner = new CommandRunner({
      reader: this.#rest,
      answer: (ack) => this.#acks.push(ack),
      remembered: state.load(),
      remember: (remembered) => state.save(remembered),
      delay: this.#delay,
      log,
      onSettled: () => this.#pulse.beat(),
    });
    this.#pulse = this.#makePulse(serial);
    this.#pulse.beat();
  }

  get ready(): boolean {
    return this.#isSubscribed && this.#link?.connected === true;
  }

  async connect(): Promise<void> {
    const { options, log } = this.#parts;
    const ask = () => this.#rest.get('/mqtt');
    const isStopped = (): boolean => this.#stopping.signal.aborted;
    const url = options.broker ?? (await findBroker({ ask, delay: this.#delay, isStopped, log }));
    if (url === null || isStopped()) return;
    if (options.forwardEvents) this.#forwarding = this.#forward();
    this.#link = this.#dial(url);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const quiet = Promise.all([this.#runner.stop(), this.#pulse.stop()]);
    // A call to a reader that does not answer must not hold up the end.
    await Promise.race([quiet, sleep(GOODBYE_MS, undefined)]);
    this.#forwarding?.stop();
    await this.#link?.close();
    this.#rest.close();
  }

  #dial(url: string): BrokerLink {
    const { identity, log, keepaliveSeconds = 30 } = this.#parts;
    const { serial } = identity.identity;
    return new BrokerLink({
      ...{ serial, url, identity: pemOf(identity), log, keepaliveSeconds },
      clientId: clientIdOf(serial, 'A'),
      will: false,
      jitter: Math.random,
      onOpen: () => {
        this.#delivery.reopened();
        this.#acks.pump();
        this.#forwarding?.pump();
      },
      onClose: () => {
        this.#isSubscribed = false;
      },
      subscription: {
        topic: topicOf(serial, 'commands'),
        onMessage: (payload) => this.#take(payload),
        onReady: () => {
          this.#isSubscribed = true;
          this.#pulse.beat();
        },
      },
    });
  }

  #take(payload: Buffer): void {
    const decoded = decodeCommand(payload);
    if (decoded.kind === 'command') {
      this.#runner.take(decoded.command);
      return;
    }
    this.#parts.log(`not understood: ${decoded.reason}`);
    if (decoded.kind === 'refused') {
      this.#acks.push({ id: decoded.id, ok: false, error: decoded.reason, status: null });
    }
  }

  #makePulse(serial: string): Pulse {
    const { log, healthEveryMs } = this.#parts;
    const load = machineLoad();
    const monotonic = (): number => performance.now();
    const check = new HealthCheck({
      ...{ reader: this.#rest, load, serial, agentVersion },
      now: Date.now,
      monotonic,
    });
    return new Pulse({
      log,
      examine: () => check.examine(),
      takesCommands: () => this.#isSubscribed,
      onReturn: () => this.#runner.reconcile(),
      onRadio: (isOn) => this.#runner.seen(isOn),
      // Old figures are of no use later: without a connection they are left.
      send: (text, sent) => {
        if (!this.#delivery.connected) sent();
        else this.#delivery.send(topicOf(serial, 'status'), text, sent);
      },
      ...(healthEveryMs === undefined ? {} : { everyMs: healthEveryMs }),
    });
  }

  #forward(): Forwarding {
    const { options, identity, log } = this.#parts;
    return startForwarding({
      dir: join(options.dir, 'agent', 'buffer'),
      maxBytes: options.bufferBytes,
      topic: topicOf(identity.identity.serial, 'events'),
      rest: this.#rest,
      delivery: this.#delivery,
      log,
    });
  }

  readonly #delay = (ms: number): Promise<void> => sleep(ms, this.#stopping.signal);
}

/** The link is made later than what sends over it. */
function linkOf(link: () => BrokerLink | undefined): ConstructorParameters<typeof Delivery>[0] {
  return {
    get connected() {
      return link()?.connected === true;
    },
    publish: (message, done) => {
      const open = link();
      if (open) open.publish(message, done);
      else done(new Error('not connected'));
    },
  };
}

function pemOf({ identity: { ca, cert, key } }: AgentIdentity) {
  return { ca, cert, key };
}

/** Ends at once when the signal is given, as if the time were over. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
  });
}
