import { defaultPreset, type Preset, presetNotFound } from '../contract/preset.ts';
import type { Ack, AgentCommand } from './agent-command.ts';
import { CommandOrder } from './command-order.ts';
import { idOf, type Job, JobQueue, jobOf } from './job-queue.ts';
import { type LocalReader, oneLine } from './local-reader.ts';
import { isOn, type Outcome, readRadio, startRadio, stopRadio } from './radio.ts';
import { applySettings, ensureSettings, type SettingsTurn } from './settings.ts';

/** What survives a restart of the agent. */
export interface Remembered {
  /** The settings the service sent last, null before the first. */
  readonly preset: Preset | null;
  /** The preset that was stopped for a change and is to run again, null for none. */
  readonly resume: string | null;
}

export interface RunnerOptions {
  readonly reader: LocalReader;
  readonly answer: (ack: Ack) => void;
  readonly remembered: Remembered;
  /** Keeps what is to survive a restart; must not throw. */
  readonly remember: (state: Remembered) => void;
  readonly delay: (ms: number) => Promise<void>;
  readonly log: (line: string) => void;
  /** Called after anything that may have changed what the radio does. */
  readonly onSettled?: () => void;
}

const RETRY_FIRST_MS = 500;
const RETRY_LONGEST_MS = 5000;
/** A reader that is there and fails each time is taken at its word. */
const FAILING_TRIES = 5;

/**
 * Carries out commands at the reader, one at a time and in order (interface, rule 1 of the command channel). What the reader
 * refuses is answered in its words; while it is away, the command is tried again (0.5 s to 5 s apart) until it is done or a
 * newer one makes it pointless, which is then not answered: the service has superseded it. Being told the same thing twice
 * is harmless.
 */
export class CommandRunner {
  readonly #options: RunnerOptions;
  readonly #queue = new JobQueue();
  readonly #order = new CommandOrder();
  readonly #turn: SettingsTurn;
  #remembered: Remembered;
  /** What the service asked for last: a preset, or null for a radio that is off; undefined before it asked. */
  #desired: string | null | undefined;
  #current: Job | undefined;
  #running: Promise<void> | undefined;
  #failing: { readonly job: Job; readonly tries: number } | undefined;
  #hasPreset = false;
  #hasNews = false;
  #stopped = false;
  #away = '';
  #wake = (): void => {};

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#remembered = options.remembered;
    this.#turn = {
      reader: options.reader,
      delay: (ms) => options.delay(ms),
      obsolete: () => this.#stopped || (this.#current !== undefined && this.#queue.has(this.#current.lane)),
      wanted: () => this.#wanted(),
      willStop: (running) => {
        if (this.#desired !== null) this.#remember({ resume: running });
      },
    };
  }

  /** True when nothing is being done and nothing waits. */
  get idle(): boolean {
    return this.#running === undefined;
  }

  /** Takes a command over; one that is in hand already is not taken twice, and one older than what was taken before not at all. */
  take(command: AgentCommand): void {
    const job = jobOf(command);
    if (!this.#order.accept(job.lane, command.no)) return;
    // What waits behind it would come after it: then it has to be done once more.
    const isInHand = idOf(this.#current) === command.id && !this.#queue.has(job.lane);
    if (isInHand || this.#queue.holds(command.id)) return;
    if (command.kind !== 'push-config') {
      this.#desired = command.kind === 'start' ? command.preset : null;
      if (this.#desired === null) this.#remember({ resume: null });
    }
    this.#push(job);
  }

  /**
   * The reader is met for the first time, is back, or has started anew: makes sure that it has `svc-default`, and that its radio
   * does what was last asked for.
   */
  reconcile(): void {
    this.#hasPreset = false;
    this.#push({ lane: 'reconcile' });
  }

  /**
   * The radio was seen on or off. What it should not do is put right: a call that was given up may take effect later, and what
   * was refused may be granted now.
   */
  seen(isOn: boolean): void {
    const wanted = this.#wanted();
    if (!this.idle || (this.#desired === undefined && wanted === null)) return;
    if (isOn !== (wanted !== null)) this.#push({ lane: 'reconcile' });
  }

  /** Takes nothing more. What is in hand ends with the call that is being made; it is not answered when that fails. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    await this.#running;
  }

  #push(job: Job): void {
    if (this.#stopped) return;
    this.#queue.push(job);
    this.#hasNews = true;
    this.#wake();
    this.#running ??= this.#drain();
  }

  async #drain(): Promise<void> {
    let failures = 0;
    for (let job = this.#queue.take(); job && !this.#stopped; job = this.#queue.take()) {
      this.#current = job;
      this.#hasNews = false;
      const outcome = this.#judge(job, await this.#attempt(job));
      this.#current = undefined;
      if (outcome.kind !== 'away') {
        failures = 0;
        this.#settle(job, outcome);
        continue;
      }
      this.#queue.putBack(job);
      // What came meanwhile is tried at once: the reader may be back, and stopping it must not wait.
      if (this.#hasNews) continue;
      this.#sayAway(outcome.reason);
      await this.#backOff(failures++);
    }
    this.#running = undefined;
  }

  /** A reader that fails a job again and again has refused it. */
  #judge(job: Job, outcome: Outcome): Outcome {
    if (outcome.kind !== 'away' || !outcome.failing) return outcome;
    const tries = (this.#failing?.job === job ? this.#failing.tries : 0) + 1;
    this.#failing = { job, tries };
    if (tries < FAILING_TRIES) return outcome;
    return { kind: 'refused', error: `the reader's local interface: ${outcome.reason}, ${tries} times` };
  }

  /** Ends early when something new is to be done. */
  async #backOff(failures: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const ms = Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS * 2 ** Math.min(failures, 10));
    if (!this.#stopped) await Promise.race([this.#options.delay(ms), woken]);
    this.#wake = () => {};
  }

  async #attempt(job: Job): Promise<Outcome> {
    try {
      if (job.lane === 'reconcile') return await this.#reconcile();
      if (job.lane === 'settings') return await this.#configure(job.command.preset);
      return job.command.kind === 'stop'
        ? await stopRadio(this.#turn)
        : await this.#start(job.command.preset);
    } catch (error) {
      // A fault of ours must not end the agent; the service is told, and the next command is a new chance.
      const reason = oneLine(error instanceof Error ? error.message : String(error));
      return { kind: 'refused', error: `the agent failed: ${reason}` };
    }
  }

  async #start(preset: string): Promise<Outcome> {
    const ready = await this.#ensurePreset(preset);
    if (ready?.kind === 'away') return ready;
    const started = await startRadio(this.#turn, preset);
    const isGone = started.kind === 'refused' && started.error === presetNotFound;
    if (!isGone || preset !== defaultPreset) return started;
    // Somebody removed it: it is ours to make, so it is made again.
    this.#hasPreset = false;
    const made = await this.#ensurePreset(preset);
    return made?.kind === 'done' ? startRadio(this.#turn, preset) : (made ?? started);
  }

  async #configure(preset: Preset): Promise<Outcome> {
    const outcome = await applySettings(this.#turn, preset);
    if (outcome.kind === 'done') {
      this.#hasPreset = true;
      this.#remember({ preset, resume: null });
    } else if (outcome.kind === 'refused') {
      // It runs again as it did before.
      this.#remember({ resume: null });
    }
    return outcome;
  }

  async #reconcile(): Promise<Outcome> {
    const ready = await this.#ensurePreset(defaultPreset);
    if (ready && ready.kind !== 'done') return ready;
    const radio = await readRadio(this.#options.reader);
    if ('kind' in radio) return radio;
    const wanted = this.#wanted();
    if (wanted === null) {
      const isStray = this.#desired === null && isOn(radio.status);
      return isStray ? stopRadio(this.#turn) : { kind: 'done', status: 'stopped' };
    }
    const started = await startRadio(this.#turn, wanted);
    if (started.kind === 'done') this.#remember({ resume: null });
    return started;
  }

  /** Null when there was nothing to do. A preset of another name is not ours to make. */
  async #ensurePreset(preset: string): Promise<Outcome | null> {
    if (this.#hasPreset || preset !== defaultPreset) return null;
    const outcome = await ensureSettings(this.#turn, this.#remembered.preset);
    this.#hasPreset = outcome.kind === 'done';
    return outcome;
  }

  #wanted(): string | null {
    return this.#desired === undefined ? this.#remembered.resume : this.#desired;
  }

  #settle(job: Job, outcome: Exclude<Outcome, { kind: 'away' }>): void {
    const error = outcome.kind === 'done' ? null : outcome.error;
    this.#away = '';
    if (job.lane !== 'reconcile') {
      const { id, kind } = job.command;
      this.#options.answer({
        id,
        ok: !error,
        error,
        status: outcome.kind === 'done' ? outcome.status : null,
      });
      this.#options.log(`${kind} ${id}: ${error ?? 'done'}`);
    } else if (error !== null) {
      this.#options.log(`the reader could not be brought to its state: ${error}`);
    }
    this.#options.onSettled?.();
  }

  #sayAway(reason: string): void {
    if (this.#stopped || reason === this.#away) return;
    this.#away = reason;
    this.#options.log(`the reader's local interface: ${reason}; trying again`);
  }

  #remember(change: Partial<Remembered>): void {
    const next = { ...this.#remembered, ...change };
    if (next.preset === this.#remembered.preset && next.resume === this.#remembered.resume) return;
    this.#remembered = next;
    this.#options.remember(next);
  }
}
