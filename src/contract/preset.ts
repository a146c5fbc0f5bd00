/** The shape of presets, and the name of ours: a wire format of its own, for what runs on a reader's side. */
export { defaultPreset } from '../domain/command.ts';
export { effectivePowerCdbm, type Preset, presetEvents } from '../domain/preset.ts';
