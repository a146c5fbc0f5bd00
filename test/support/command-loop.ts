import { randomUUID } from 'node:crypto';
import type { Ack } from '../../src/agent/agent-command.ts';
import { CommandRunner, type Remembered } from '../../src/agent/command-runner.ts';
import { decodeCommand } from '../../src/agent/decode-command.ts';
import type { LocalAnswer, LocalReader as ReaderCalls } from '../../src/agent/local-reader.ts';
import type { CommandPayload } from '../../src/contract/command.ts';
import { Acknowledgements } from '../../src/features/readers/acknowledgements.ts';
import { antennaRoutes } from '../../src/features/readers/antenna-routes.ts';
import { CommandOutbox, type PublishCommand } from '../../src/features/readers/command-outbox.ts';
import { commandRoutes } from '../../src/features/readers/command-routes.ts';
import { reconcileReader } from '../../src/features/readers/reconcile.ts';
import { Diagnostics } from '../../src/ingest/diagnostics.ts';
import { createLog } from '../../src/log/log.ts';
import { LocalReader, type LocalState } from '../../src/simulator/local-reader.ts';
import { OpenCommands } from '../../src/store/open-commands.ts';
import type { Store } from '../../src/store/store.ts';
import { createCommandTimeouts } from '../../src/sweep/command-timeouts.ts';
import { type House, NO_DATA_MS, openHouse, type Tenant } from './house.ts';

const BASE = '/api/v1/profiles';
const log = createLog({ level: 'silent' });

/** Everything that takes time waits here until the test lets one go on, in whatever order it likes. */
class Gates {
  readonly #waiting: { readonly label: string; readonly open: () => void }[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  wait(label: string): Promise<void> {
    return new Promise((open) => this.#waiting.push({ label, open }));
  }

  /** Lets the nth of those that wait go on; false when none waits. */
  open(nth: number): boolean {
    const [gate] = this.#waiting.splice(nth % Math.max(1, this.#waiting.length), 1);
    gate?.open();
    return gate !== undefined;
  }
}

/** A service process: what it has in memory is gone when it is killed, and what it still had under way comes to nothing. */
interface Service {
  alive: boolean;
  readonly outbox: CommandOutbox;
  readonly acknowledgements: Acknowledgements;
  readonly commands: OpenCommands;
  readonly store: Store;
}

/** What the broker has for an agent. */
interface Message {
  readonly payload: CommandPayload;
}

interface Published {
  readonly payload: CommandPayload;
  readonly retain: boolean;
}

interface Agent {
  alive: boolean;
  connected: boolean;
  readonly runner: CommandRunner;
  readonly unsent: Ack[];
}

/**
 * Service, broker, agent and reader of one reader after the other, with the real rules of each, over a real store; broker and
 * network are a model whose every step waits for the test. One house serves a number of runs, each with a reader of its own.
 */
export class CommandLoop {
  readonly #house: House;
  #tenant: Tenant;
  readonly gates = new Gates();
  service: Service;
  agent: Agent | null = null;
  reader: LocalReader | null = null;
  id = '';
  serial = '';
  /** Every answer an agent gave, to be repeated. */
  readonly said: Ack[] = [];
  #remembered: Remembered = { preset: null, resume: null };
  #saved: LocalState | undefined;
  /** The broker's own store, which survives the service: the retained message, and the session of the agent. */
  #retained: CommandPayload | null = null;
  #session: Set<Message> | null = null;

  private constructor(house: House, tenant: Tenant, service: Service) {
    this.#house = house;
    this.#tenant = tenant;
    this.service = service;
  }

  static async open(): Promise<CommandLoop> {
    const made: { loop?: CommandLoop } = {};
    // The answer of a request does not wait for the broker: when that goes on is up to the test.
    const sendCommand: CommandOutbox['send'] = async (reader) => {
      void made.loop?.service.outbox.send(reader);
    };
    const house = await openHouse({
      more: (parts) => {
        const options = { ...parts, noDataMs: NO_DATA_MS, sendCommand };
        return [...commandRoutes(options), ...antennaRoutes(options)];
      },
    });
    const service = startService(house);
    made.loop = new CommandLoop(house, await house.tenant('Loop'), service);
    await made.loop.#connectBroker();
    return made.loop;
  }

  /** A new reader, everything running, nothing ever said. */
  async reset(): Promise<void> {
    this.killAgent();
    await this.settle();
    if (!this.service.alive) await this.startService();
    // A list of one reader is read faster than one of a thousand.
    this.#tenant = await this.#house.tenant(randomUUID());
    const { id, serial } = await this.#tenant.reader();
    Object.assign(this, { id, serial });
    this.#remembered = { preset: null, resume: null };
    this.#saved = undefined;
    this.#retained = null;
    this.#session = null;
    this.said.length = 0;
    this.bootReader();
    await this.startAgent();
  }

  async patch(enabled: boolean): Promise<number> {
    return (await this.#tenant.call('PATCH', `/readers/${this.id}`, { enabled })).status;
  }

  async antennas(changes: readonly object[]): Promise<void> {
    await this.#tenant.call('PUT', `/readers/${this.id}/antennas`, changes);
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the test says of it.
  async shown(): Promise<any> {
    const { body } = await this.#tenant.call('GET', '/readers');
    return body.find((one: { id: string }) => one.id === this.id);
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the test says of it.
  async listed(): Promise<any[]> {
    return (await this.#tenant.call('GET', `/readers/${this.id}/commands`)).body;
  }

  async antennaConfigs(): Promise<unknown> {
    return (await this.#tenant.call('GET', `/readers/${this.id}/antennas`)).body;
  }

  killService(): void {
    this.service.alive = false;
    this.disconnect();
  }

  async startService(): Promise<void> {
    this.killService();
    this.service = startService(this.#house);
    await this.#connectBroker();
  }

  async #connectBroker(): Promise<void> {
    const { service } = this;
    void service.outbox.open(this.#publishOf(service));
  }

  killAgent(): void {
    if (this.agent) {
      this.agent.alive = false;
      // Its program must not go on for ever; what it still does reaches nobody.
      void this.agent.runner.stop();
    }
    this.agent = null;
  }

  async startAgent(): Promise<void> {
    this.killAgent();
    const agent: Agent = { alive: true, connected: false, unsent: [], runner: this.#runnerOf(() => agent) };
    this.agent = agent;
    agent.runner.reconcile();
    await this.connect();
  }

  disconnect(): void {
    if (this.agent) this.agent.connected = false;
  }

  /** The agent's connection opens: its session goes on, it subscribes, finds the retained message, and the service is told. */
  async connect(): Promise<void> {
    const { agent, service } = this;
    if (!agent || !service.alive || agent.connected) return;
    agent.connected = true;
    this.#session ??= new Set();
    // What was kept and what is retained come in any order, and what was not acknowledged comes again.
    for (const message of this.#session) void this.#deliver(agent, message);
    if (this.#retained) void this.#deliver(agent, { payload: this.#retained });
    for (const ack of agent.unsent.splice(0)) this.#send(agent, ack);
    // Once for the session that goes on, once for the subscription.
    void this.#reconcile(service);
    void this.#reconcile(service);
  }

  killReader(): void {
    this.reader?.powerOff();
    this.#saved = this.reader?.state() ?? this.#saved;
    this.reader = null;
  }

  /** The agent notices, as it does by itself within seconds. */
  bootReader(): void {
    this.killReader();
    const state = this.#saved && { state: this.#saved };
    this.reader = new LocalReader({ serial: this.serial, now: () => this.#house.now, ...state });
    this.reader.boot();
    this.agent?.runner.reconcile();
  }

  /** 31 s pass, and what was due is decided. */
  async timeOut(): Promise<void> {
    this.#house.now += 31_000;
    const { store, commands, alive } = this.service;
    const now = (): number => this.#house.now;
    if (alive) await createCommandTimeouts({ store, commands, now, ackTimeoutMs: 30_000 }).run();
  }

  /** What the service does every second. */
  async sweep(): Promise<void> {
    if (this.service.alive) void this.service.outbox.sendOpen();
  }

  /** An answer arrives that was given before, or to a command nobody sent. */
  async repeat(ack: Ack): Promise<void> {
    if (this.service.alive) await this.#take(this.service, ack);
  }

  /** Everything that waits goes on, in the order it came, until nothing does any more. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 12; ) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.#house.store.write(() => {});
      quiet = this.gates.open(0) || this.agent?.runner.idle === false ? 0 : quiet + 1;
    }
  }

  async close(): Promise<void> {
    this.killAgent();
    this.killService();
    await this.settle();
    await this.#house.close();
  }

  /** One after the other, in the order of the calls, as the broker does it. */
  #publishOf(service: Service): PublishCommand {
    let last: Promise<unknown> = Promise.resolve();
    return (serial, payload, { retain }) => {
      const published = last.then(() => this.#publish(service, serial, { payload, retain }));
      last = published.catch(() => {});
      return published;
    };
  }

  async #publish(service: Service, serial: string, { payload, retain }: Published): Promise<void> {
    await this.gates.wait('the broker takes a command');
    if (!service.alive || serial !== this.serial) throw new Error('the broker is gone');
    if (retain) this.#retained = payload;
    const message = { payload };
    this.#session?.add(message);
    if (this.agent?.connected) void this.#deliver(this.agent, message);
    await this.gates.wait('the broker has stored it');
    if (!service.alive) throw new Error('the broker is gone');
  }

  /** A message arrives at the agent, which acknowledges it before it does anything; that too may be lost. */
  async #deliver(agent: Agent, message: Message): Promise<void> {
    await this.gates.wait('a command arrives');
    if (!agent.alive || !agent.connected || this.agent !== agent) return;
    const decoded = decodeCommand(Buffer.from(JSON.stringify(message.payload)));
    if (decoded.kind !== 'command') throw new Error(`not understood: ${JSON.stringify(message.payload)}`);
    agent.runner.take(decoded.command);
    await this.gates.wait('its acknowledgement arrives');
    if (agent.connected && this.agent === agent) this.#session?.delete(message);
  }

  async #reconcile(service: Service): Promise<void> {
    await this.gates.wait('the service hears of the agent');
    const { store, outbox } = service;
    const reader = { orgId: this.#tenant.orgId, readerId: this.id };
    const now = (): number => this.#house.now;
    const writeBlocked = () => null;
    const options = { store, outbox, writeBlocked, now, newId: randomUUID, log };
    if (service.alive) await reconcileReader(options, reader);
  }

  #runnerOf(own: () => Agent): CommandRunner {
    return new CommandRunner({
      reader: this.#callsOf(own),
      answer: (ack) => {
        this.said.push(ack);
        if (own().alive) this.#send(own(), ack);
      },
      remembered: this.#remembered,
      remember: (state) => {
        if (own().alive) this.#remembered = state;
      },
      delay: () => this.gates.wait('the agent waits'),
      log: () => {},
    });
  }

  /** QoS 1: kept by the agent until the service has settled it. */
  #send(agent: Agent, ack: Ack): void {
    agent.unsent.push(ack);
    if (agent.connected) void this.#answer(agent, ack);
  }

  async #answer(agent: Agent, ack: Ack): Promise<void> {
    const { service } = this;
    await this.gates.wait('an answer arrives');
    if (!agent.alive || !agent.connected || !service.alive) return;
    await this.#take(service, ack);
    if (service.alive && agent.unsent.includes(ack)) agent.unsent.splice(agent.unsent.indexOf(ack), 1);
  }

  async #take(service: Service, ack: Ack): Promise<void> {
    const payload = Buffer.from(JSON.stringify(ack));
    const settled = new Promise<void>((resolve) =>
      service.acknowledgements.take(this.serial, payload, resolve),
    );
    await settled;
  }

  /** The agent's calls: each can break off before it takes effect, or after. */
  #callsOf(own: () => Agent): ReaderCalls {
    const call = async (method: string, path: string, body?: unknown): Promise<LocalAnswer> => {
      const { reader } = this;
      await this.gates.wait('a call reaches the reader');
      if (!reader || this.reader !== reader || !own().alive) return { kind: 'away', reason: 'nobody there' };
      const answer = reader.handle({ method, path, body });
      await this.gates.wait('its answer comes back');
      if (this.reader !== reader) return { kind: 'away', reason: 'broken off' };
      return { kind: 'answer', status: answer.status, body: answer.body };
    };
    return {
      status: () => call('GET', '/api/v1/status'),
      start: (preset) => call('POST', `${BASE}/inventory/presets/${preset}/start`),
      stop: () => call('POST', `${BASE}/stop`),
      schema: () => call('GET', `${BASE}/inventory/presets-schema`),
      preset: (id) => call('GET', `${BASE}/inventory/presets/${id}`),
      putPreset: (id, preset) => call('PUT', `${BASE}/inventory/presets/${id}`, preset),
    };
  }
}

function startService(house: House): Service {
  const alive = { alive: true };
  const store = mortal(house.store, () => alive.alive);
  const commands = new OpenCommands(store);
  const now = (): number => house.now;
  const acknowledgements = new Acknowledgements({
    ...{ store, directory: house.directory, commands, diagnostics: new Diagnostics(), now, log },
    writeBlocked: () => null,
  });
  return Object.assign(alive, {
    store,
    commands,
    acknowledgements,
    outbox: new CommandOutbox({ store, commands, now, log }),
  });
}

/** A store that a killed process can no longer write to, and that tells it nothing any more. */
function mortal(store: Store, isAlive: () => boolean): Store {
  const watch: Store['watch'] = (table, watcher) =>
    store.watch(table, (keys) => {
      if (isAlive()) watcher(keys);
    });
  return new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name === 'watch') return watch;
      if (name !== 'write') return member.bind(target);
      return async (work: Parameters<Store['write']>[0]) => {
        if (!isAlive()) throw new Error('killed');
        return target.write(work);
      };
    },
  });
}
