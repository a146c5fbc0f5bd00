import type { Ack, AgentCommand } from '../../src/agent/agent-command.ts';
import { CommandRunner, type Remembered } from '../../src/agent/command-runner.ts';
import { defaultSettings } from '../../src/agent/reader-preset.ts';
import { acknowledgementSchema } from '../../src/contract/command.ts';
import type { Preset } from '../../src/contract/preset.ts';
import { until } from '../support/wait.ts';
import { MemoryReader } from './memory-reader.ts';

export const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const start = (n: number, preset = 'svc-default'): AgentCommand => ({
  ...{ kind: 'start', id: uuid(n), no: null, preset },
});
export const stop = (n: number): AgentCommand => ({ kind: 'stop', id: uuid(n), no: null });
/** The nth command the service made, told apart from its id. */
export const numbered = (command: AgentCommand, no: number): AgentCommand => ({ ...command, no });
export const push = (n: number, preset = settings()): AgentCommand => ({
  ...{ kind: 'push-config', id: uuid(n), no: null, preset },
});

export function settings(powerCdbm = 2000): Preset {
  const whole = defaultSettings({ rfMode: 1002, powerMaxCdbm: powerCdbm, antennaPorts: 2 });
  return whole;
}

/** A runner over a reader in memory. */
export class Bench {
  readonly reader: MemoryReader;
  readonly acks: Ack[] = [];
  readonly lines: string[] = [];
  readonly delays: number[] = [];
  remembered: Remembered;
  runner: CommandRunner;
  /** How waiting is done; by default it takes no time. */
  delay: () => Promise<void> = () => new Promise((resolve) => setImmediate(resolve));

  constructor(reader = new MemoryReader(), remembered: Remembered = { preset: null, resume: null }) {
    this.reader = reader;
    this.remembered = remembered;
    this.runner = this.#make();
  }

  /** The agent's process dies and another takes over what is on disk. */
  restart(): void {
    void this.runner.stop();
    this.runner = this.#make();
  }

  /** Gives commands and waits until there is nothing left to do. */
  async given(...commands: readonly AgentCommand[]): Promise<void> {
    for (const command of commands) this.runner.take(command);
    await this.rest();
  }

  async rest(): Promise<void> {
    await until('the runner to rest', () => this.runner.idle);
  }

  #make(): CommandRunner {
    return new CommandRunner({
      reader: this.reader,
      answer: (ack) => this.acks.push(acknowledgementSchema.parse(ack) as Ack),
      remembered: this.remembered,
      remember: (state) => {
        this.remembered = JSON.parse(JSON.stringify(state));
      },
      delay: (ms) => {
        this.delays.push(ms);
        return this.delay();
      },
      log: (line) => this.lines.push(line),
    });
  }
}
