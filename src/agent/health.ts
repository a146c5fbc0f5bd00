import type { Health } from '../contract/payloads.ts';
import { isDone, type LocalAnswer, membersOf, type RadioStatus, radioStatusOf } from './local-reader.ts';
import type { MachineLoad } from './machine.ts';

export interface HealthOptions {
  readonly reader: {
    status(): Promise<LocalAnswer>;
    get(path: string): Promise<LocalAnswer>;
  };
  readonly load: MachineLoad;
  readonly serial: string;
  readonly agentVersion: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** Ms that no clock setting moves. */
  readonly monotonic: () => number;
}

/** What one look at the reader showed. */
export interface Examination {
  /** Every figure that could be had; `commands` is the sender's to add. */
  readonly health: Health;
  readonly isAway: boolean;
  /** The reader has started anew since the last look. */
  readonly hasRestarted: boolean;
}

/** Answers say how long the reader is up in whole seconds, and come late: less than this is no restart. */
const RESTART_MS = 5000;

/** Looks at the reader: its radio, its figures, and whether it has started anew. Figures it does not have are left out. */
export class HealthCheck {
  readonly #options: HealthOptions;
  #bootedAt: number | null = null;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** Never rejects. A reader that does not answer is asked nothing further: what is left are the agent's own figures. */
  async examine(): Promise<Examination> {
    const status = await this.#options.reader.status();
    const isAway = status.kind === 'away';
    const reader = isAway ? {} : await this.#readerFigures();
    const hasRestarted = this.#restarted(reader.uptimeSeconds);
    const health = { type: 'health' as const, ...this.#ownFigures(), ...radioFigures(status), ...reader };
    // Figures nobody has are undefined: JSON leaves them out.
    return { health, isAway, hasRestarted };
  }

  #ownFigures(): Partial<Health> {
    const { load, serial, agentVersion, now } = this.#options;
    return {
      at: new Date(now()).toISOString(),
      serial,
      agentVersion,
      cpuPercent: load.cpuPercent() ?? undefined,
      memoryPercent: load.memoryPercent() ?? undefined,
    };
  }

  async #readerFigures(): Promise<Partial<Health>> {
    const [system, image, temperature, power, time, host] = [
      await this.#members('/system'),
      await this.#members('/system/image'),
      await this.#members('/system/temperature'),
      await this.#members('/system/power'),
      await this.#members('/system/time'),
      await this.#members('/system/hostname'),
    ];
    return {
      model: textOf(system.productModel),
      firmware: textOf(image.primaryFirmware),
      temperatureC: numberOf(temperature.systemTemperature),
      powerMilliwatts: numberOf(power.allocatedPowerMilliwatts),
      uptimeSeconds: numberOf(time.upTime),
      hostname: textOf(host.hostname),
    };
  }

  async #members(path: string): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#options.reader.get(path);
    return answer.kind === 'answer' && isDone(answer) ? membersOf(answer.body) : {};
  }

  #restarted(uptimeSeconds: number | undefined): boolean {
    if (uptimeSeconds === undefined) return false;
    const before = this.#bootedAt;
    this.#bootedAt = this.#options.monotonic() - uptimeSeconds * 1000;
    return before !== null && this.#bootedAt - before > RESTART_MS;
  }
}

function radioFigures(answer: LocalAnswer): Partial<Health> {
  if (answer.kind === 'away' || !isDone(answer)) return {};
  const { status, preset }: RadioStatus = radioStatusOf(answer.body);
  // `starting` and `stopping` are over in a moment: nothing is claimed until then.
  const radio = status === 'running' || status === 'armed' || status === 'idle' ? status : undefined;
  return { radio, preset: preset ?? undefined };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
