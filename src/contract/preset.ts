/** The shape of presets, and the name of ours: a wire format of its own, for what runs on a reader's side. */
export { defaultPreset } from '../domain/command.ts';
export { effectivePowerCdbm, type Preset, presetEvents } from '../domain/preset.ts';

/** What an agent answers to a start of a preset that the reader does not have. */
export const presetNotFound = 'preset not found';

/** Whether an agent's words say so: not every agent is ours, and others may say more, or in another case. */
export function saysPresetNotFound(error: string): boolean {
  return error.toLowerCase().includes(presetNotFound);
}
