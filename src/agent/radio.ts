import { presetNotFound } from '../contract/preset.ts';
import { isDone, type LocalAnswer, type LocalReader, radioStatusOf, refusalOf } from './local-reader.ts';

/** What became of something the reader was told. `away`: nobody can tell yet, it is worth another try. */
export type Outcome =
  | { readonly kind: 'done'; readonly status: 'started' | 'stopped' | 'configured' }
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'away'; readonly reason: string; readonly failing?: true };

/** What a turn at the reader works with. */
export interface Turn {
  readonly reader: LocalReader;
  readonly delay: (ms: number) => Promise<void>;
  /** True when something newer waits that makes this pointless. */
  readonly obsolete: () => boolean;
}

/** A reader takes seconds to stop, and answers 409 until it has. */
const BUSY_DELAYS_MS: readonly number[] = [0, 250, 500, 1000, 2000, 4000];
const BUSY = 409;
/** The radio is on, or is about to be. */
const ON: readonly string[] = ['running', 'armed', 'starting'];
const OBSOLETE: Outcome = { kind: 'away', reason: 'something newer is to be done' };

/**
 * Starts a preset. One that runs already is started (the reader says 409 then too); another one is stopped first. A preset the
 * reader does not have is refused with `presetNotFound`.
 */
export async function startRadio(turn: Turn, preset: string): Promise<Outcome> {
  const start = (): Promise<LocalAnswer> => turn.reader.start(preset);
  const answer = await whileBusy(turn, start, async () => {
    const radio = await readRadio(turn.reader);
    if ('kind' in radio) return radio;
    if (radio.preset === preset && ON.includes(radio.status)) return { kind: 'done', status: 'started' };
    return ON.includes(radio.status) ? asConflict(await stopRadio(turn)) : null;
  });
  return outcomeOf(answer, 'started', presetNotFound);
}

/** Stops whatever runs. A reader that runs nothing is stopped. */
export async function stopRadio({ reader }: Turn): Promise<Outcome> {
  return outcomeOf(await reader.stop(), 'stopped');
}

/** What the radio does now, or why that cannot be told. */
export async function readRadio(
  reader: LocalReader,
): Promise<ReturnType<typeof radioStatusOf> | Exclude<Outcome, { kind: 'done' }>> {
  const answer = await reader.status();
  if (answer.kind === 'away') return answer;
  return isDone(answer) ? radioStatusOf(answer.body) : { kind: 'refused', error: refusalOf(answer) };
}

/** Whether the radio is on, or about to be. */
export function isOn(status: string): boolean {
  return ON.includes(status);
}

/**
 * Makes a call again while the reader answers 409, with `clear` in between, which may end it with an outcome of its own. The
 * last 409 is the answer when it goes on for about 8 s.
 */
export async function whileBusy(
  turn: Turn,
  call: () => Promise<LocalAnswer>,
  clear: () => Promise<Outcome | null>,
): Promise<LocalAnswer | Outcome> {
  for (const [at, ms] of BUSY_DELAYS_MS.entries()) {
    if (ms > 0) await turn.delay(ms);
    if (turn.obsolete()) return OBSOLETE;
    const answer = await call();
    const isLast = at === BUSY_DELAYS_MS.length - 1;
    if (answer.kind === 'away' || answer.status !== BUSY || isLast) return answer;
    const cleared = await clear();
    if (cleared) return cleared;
  }
  return OBSOLETE;
}

/** The outcome of a call that came to an end. `missing` stands for the reader's words for 404. */
export function outcomeOf(
  answer: LocalAnswer | Outcome,
  status: 'started' | 'stopped' | 'configured',
  missing?: string,
): Outcome {
  if (answer.kind !== 'answer') return answer;
  if (isDone(answer)) return { kind: 'done', status };
  return { kind: 'refused', error: answer.status === 404 && missing ? missing : refusalOf(answer) };
}

/** What was in the way is gone: nothing to report, the call goes again. */
export function asConflict(stopped: Outcome): Outcome | null {
  return stopped.kind === 'done' ? null : stopped;
}
