import { randomUUID } from 'node:crypto';
import type { CommandPayload } from '../../src/contract/command.ts';
import { Acknowledgements } from '../../src/features/readers/acknowledgements.ts';
import { antennaRoutes } from '../../src/features/readers/antenna-routes.ts';
import { CommandOutbox, type PublishCommand } from '../../src/features/readers/command-outbox.ts';
import { commandRoutes } from '../../src/features/readers/command-routes.ts';
import { deviceRoutes } from '../../src/features/readers/device-routes.ts';
import { reconcileReader } from '../../src/features/readers/reconcile.ts';
import { Diagnostics } from '../../src/ingest/diagnostics.ts';
import { createLog } from '../../src/log/log.ts';
import { OpenCommands } from '../../src/store/open-commands.ts';
import { createCommandTimeouts } from '../../src/sweep/command-timeouts.ts';
import { type Answer, type House, NO_DATA_MS, openHouse, type Tenant } from './house.ts';

export interface Sent {
  readonly serial: string;
  readonly payload: CommandPayload;
}

/** What an agent says that did what it was told. */
export const okOf = (id: string) => ({ id, ok: true, error: null, status: 'started' });

/** A house whose readers can be started and stopped, with a broker that does what the test says. */
export class CommandHouse {
  readonly house: House;
  readonly tenant: Tenant;
  readonly commands: OpenCommands;
  readonly outbox: CommandOutbox;
  readonly acknowledgements: Acknowledgements;
  readonly diagnostics: Diagnostics;
  readonly logged: string[];
  /** What the broker has taken. */
  readonly sent: Sent[] = [];
  /** Ids of what the broker was told to keep for a reader that comes back. */
  readonly retained: string[] = [];
  /** Why nothing may be written. */
  blocked: string | null = null;
  /** What the broker does with a command; by default it has it at once. */
  broker: (one: Sent) => Promise<void> = async () => {};

  private constructor(parts: Parts) {
    this.house = parts.house;
    this.tenant = parts.tenant;
    this.commands = parts.commands;
    this.outbox = parts.outbox;
    this.logged = parts.logged;
    this.diagnostics = new Diagnostics();
    const { store, directory } = this.house;
    this.acknowledgements = new Acknowledgements({
      ...{ store, directory, commands: this.commands, diagnostics: this.diagnostics },
      writeBlocked: () => this.blocked,
      now: () => this.house.now,
      log: createLog({ level: 'silent' }),
    });
  }

  static async open(): Promise<CommandHouse> {
    const logged: string[] = [];
    const log = createLog({ level: 'info', out: { write: (line) => logged.push(line) } });
    const made: Pick<Parts, 'commands' | 'outbox'>[] = [];
    const house = await openHouse({
      more: (parts) => {
        const commands = new OpenCommands(parts.store);
        const outbox = new CommandOutbox({ ...parts, commands, log });
        made.push({ commands, outbox });
        const readers = { ...parts, noDataMs: NO_DATA_MS };
        const sendCommand = (reader: Parameters<CommandOutbox['send']>[0]) => outbox.send(reader);
        const routes = { ...readers, sendCommand };
        return [...commandRoutes(routes), ...antennaRoutes(routes), ...deviceRoutes(parts)];
      },
    });
    const [parts] = made;
    if (!parts) throw new Error('the house asked for no routes');
    const opened = new CommandHouse({ house, tenant: await house.tenant('Ours'), logged, ...parts });
    await opened.outbox.open(opened.publish);
    return opened;
  }

  readonly publish: PublishCommand = async (serial, payload, { retain }) => {
    await this.broker({ serial, payload });
    this.sent.push({ serial, payload });
    if (retain) this.retained.push(payload.id);
  };

  /** The outbox of the service's next run over the same store. */
  restarted(): CommandOutbox {
    const { store } = this.house;
    const now = (): number => this.house.now;
    return new CommandOutbox({
      store,
      commands: new OpenCommands(store),
      now,
      log: createLog({ level: 'silent' }),
    });
  }

  change(id: string, enabled: unknown): Promise<Answer> {
    return this.tenant.call('PATCH', `/readers/${id}`, { enabled });
  }

  antennas(id: string, changes: readonly object[]): Promise<Answer> {
    return this.tenant.call('PUT', `/readers/${id}/antennas`, changes);
  }

  /** The agent subscribes. */
  agentReturns(id: string): Promise<void> {
    const { store } = this.house;
    const log = createLog({ level: 'silent' });
    const now = (): number => this.house.now;
    const reader = { orgId: this.tenant.orgId, readerId: id };
    const writeBlocked = (): string | null => this.blocked;
    return reconcileReader({ store, outbox: this.outbox, writeBlocked, now, newId: randomUUID, log }, reader);
  }

  async list(id: string): Promise<Answer['body']> {
    return (await this.tenant.call('GET', `/readers/${id}/commands`)).body;
  }

  async reader(id: string): Promise<Answer['body']> {
    const { body } = await this.tenant.call('GET', '/readers');
    return body.find((one: { id: string }) => one.id === id);
  }

  /** Sends what an agent says, and resolves when it is settled. */
  async answer(serial: string, message: unknown): Promise<void> {
    const payload = Buffer.isBuffer(message) ? message : Buffer.from(JSON.stringify(message));
    await new Promise<void>((resolve) => this.acknowledgements.take(serial, payload, resolve));
  }

  /** Lets 30 s pass and decides who did not answer. */
  async timeOut(): Promise<void> {
    const { house, commands } = this;
    house.now += 30_000;
    const now = (): number => house.now;
    await createCommandTimeouts({ store: house.store, commands, now, ackTimeoutMs: 30_000 }).run();
  }

  async close(): Promise<void> {
    await this.acknowledgements.stop();
    await this.outbox.close();
    await this.house.close();
  }
}

interface Parts extends Pick<CommandHouse, 'house' | 'tenant' | 'commands' | 'outbox' | 'logged'> {}
