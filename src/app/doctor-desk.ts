import { z } from 'zod';
import type { Config } from '../config/options.ts';
import type { DoctorAnswer } from '../contract/system.ts';
import { refuse } from '../domain/refusal.ts';
import { findingLevels } from './doctor-finding.ts';
import { environmentOf, reasonIn, runOwnChild } from './own-child.ts';

/** How long a report is told again. */
const KEPT_MS = 30_000;
/** After a failure nobody tries again for so long. */
const REST_MS = 5000;
const LIMIT_MS = 30_000;
/** Characters of a report. */
const OUTPUT_MAX = 4_000_000;

const reportSchema = z.object({
  at: z.string(),
  findings: z.array(
    z.object({
      check: z.string(),
      level: z.enum(findingLevels),
      subject: z.string().optional(),
      message: z.string(),
      advice: z.string().optional(),
    }),
  ),
});

export interface DoctorDeskOptions {
  readonly config: Config;
  /** As `serve` was told; absent: found as every command finds it. */
  readonly configFile?: string | undefined;
  /** Starts this program: the command without its arguments. */
  readonly program: readonly string[];
  /** For tests: how long a report, and a failure, is told again, and how long the doctor may take. */
  readonly keptMs?: number;
  readonly restMs?: number;
  readonly limitMs?: number;
}

/**
 * The doctor for whoever asks by REST: `tagkeep doctor --json` in a process of its own, because its looking around would hold
 * up the event loop. One at a time, which all who ask meanwhile wait for, and its report is told again for 30 seconds.
 */
export class DoctorDesk {
  readonly #options: DoctorDeskOptions;
  readonly #stopping = new AbortController();
  #answer: Promise<DoctorAnswer> | null = null;
  /** Until when the answer stands, of `performance.now()`; null while it is being made. */
  #until: number | null = null;

  constructor(options: DoctorDeskOptions) {
    this.#options = options;
  }

  /** What the doctor finds. Throws the refusal `unavailable` with the reason when it came to nothing. */
  report(): Promise<DoctorAnswer> {
    if (this.#answer && (this.#until === null || performance.now() < this.#until)) return this.#answer;
    const { keptMs = KEPT_MS, restMs = REST_MS } = this.#options;
    this.#until = null;
    const stands = (ms: number) => (): void => {
      this.#until = performance.now() + ms;
    };
    const answer = this.#examine();
    answer.then(stands(keptMs), stands(restMs));
    this.#answer = answer;
    return answer;
  }

  /** Ends one that is at work. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#until === null) await this.#answer?.catch(() => undefined);
  }

  async #examine(): Promise<DoctorAnswer> {
    const { config, configFile, program, limitMs = LIMIT_MS } = this.#options;
    const from = configFile === undefined ? [] : ['--config', configFile];
    const end = await runOwnChild({
      ...{ command: [...program, 'doctor', '--json', ...from], env: environmentOf(config) },
      ...{ limitMs, signal: this.#stopping.signal, outputMax: OUTPUT_MAX },
    });
    if (end.problem !== null) throw failed(end.problem);
    const report = reportIn(end.out);
    // It ends with 1 when it found a fault, too.
    if (!report) throw failed(end.code === 0 ? 'it answered nothing that can be read' : reasonIn(end));
    return answerOf(report);
  }
}

type Report = z.infer<typeof reportSchema>;

function reportIn(text: string): Report | null {
  try {
    return reportSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function answerOf({ at, findings }: Report): DoctorAnswer {
  return {
    at,
    findings: findings.map(({ check, level, subject, message, advice }) => ({
      ...{ check, level, text: subject === undefined ? message : `${subject}: ${message}` },
      ...(advice !== undefined && { advice }),
    })),
  };
}

function failed(reason: string): Error {
  return refuse('unavailable', `The doctor could not be asked: ${reason}.`);
}
