import { defaultPreset, type Preset } from '../contract/preset.ts';
import { isDone } from './local-reader.ts';
import {
  asConflict,
  isOn,
  type Outcome,
  outcomeOf,
  readRadio,
  startRadio,
  stopRadio,
  type Turn,
  whileBusy,
} from './radio.ts';
import {
  abilitiesOf,
  defaultSettings,
  isSamePreset,
  type ReaderAbilities,
  withRfMode,
} from './reader-preset.ts';

/** What has to be known beside the settings themselves. */
export interface SettingsTurn extends Turn {
  /** The preset that is to run once the settings are in, null for none. */
  readonly wanted: () => string | null;
  /** Told before a running preset is stopped, so that it runs again whatever happens in between. */
  readonly willStop: (running: string) => void;
}

/**
 * Makes `preset` the reader's `svc-default`. The same already: nothing happens. Readers refuse to change what runs: it is
 * stopped, changed and started again.
 */
export async function applySettings(turn: SettingsTurn, preset: Preset): Promise<Outcome> {
  const abilities = await readAbilities(turn);
  if ('kind' in abilities) return abilities;
  const whole = withRfMode(preset, abilities.rfMode);
  const held = await turn.reader.preset(defaultPreset);
  if (held.kind === 'away') return held;
  if (!isDone(held) || !isSamePreset(whole, held.body)) {
    const put = await putPreset(turn, whole);
    if (put.kind === 'away') {
      // It was stopped for nothing as yet: it is not left off until the next try.
      if (put.failing) await runAgain(turn);
      return put;
    }
    if (put.kind === 'refused') return refusedWhileRunning(turn, put);
  }
  const again = await runAgain(turn);
  if (again.kind !== 'refused') return again;
  // The settings are in all the same; that another preset does not start is no matter of theirs.
  if (turn.wanted() !== defaultPreset) return { kind: 'done', status: 'configured' };
  return { kind: 'refused', error: `the settings are in, but the radio does not start: ${again.error}` };
}

/** Makes sure that `svc-default` is there: `preset` when it is known, else the interface's default. */
export async function ensureSettings(turn: SettingsTurn, preset: Preset | null): Promise<Outcome> {
  const held = await turn.reader.preset(defaultPreset);
  if (held.kind === 'away') return held;
  if (held.status !== 404) return outcomeOf(held, 'configured');
  const abilities = await readAbilities(turn);
  if ('kind' in abilities) return abilities;
  return putPreset(turn, withRfMode(preset ?? defaultSettings(abilities), abilities.rfMode));
}

/** A reader without a schema takes what all take; one that does not let us in says so here already. */
async function readAbilities({ reader }: Turn): Promise<ReaderAbilities | Outcome> {
  const answer = await reader.schema();
  if (answer.kind === 'away') return answer;
  if (answer.status === 401 || answer.status === 403) return outcomeOf(answer, 'configured');
  return abilitiesOf(isDone(answer) ? answer.body : null);
}

async function putPreset(turn: SettingsTurn, whole: object): Promise<Outcome> {
  const put = () => turn.reader.putPreset(defaultPreset, whole);
  const answer = await whileBusy(turn, put, async () => {
    const radio = await readRadio(turn.reader);
    if ('kind' in radio) return radio;
    if (!isOn(radio.status)) return null;
    turn.willStop(radio.preset ?? defaultPreset);
    return asConflict(await stopRadio(turn));
  });
  return outcomeOf(answer, 'configured');
}

/** What was stopped for settings that the reader then refused runs on with those it had. */
async function refusedWhileRunning(turn: SettingsTurn, refused: Outcome): Promise<Outcome> {
  const again = await runAgain(turn);
  return again.kind === 'away' ? again : refused;
}

async function runAgain(turn: SettingsTurn): Promise<Outcome> {
  const wanted = turn.wanted();
  if (wanted === null) return { kind: 'done', status: 'configured' };
  const started = await startRadio(turn, wanted);
  return started.kind === 'done' ? { kind: 'done', status: 'configured' } : started;
}
