/** The shape of presets, and the name of ours: a wire format of its own, for what runs on a reader's side. */
export { defaultPreset } from '../domain/command.ts';
export type { Preset } from '../domain/preset.ts';
