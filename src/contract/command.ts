import { z } from 'zod';
import { commandKinds, commandStates, radioCommandKinds } from '../domain/command.ts';
import type { Preset } from './preset.ts';
import { nameInput, timestamp, uuid } from './scalars.ts';

const sent = {
  state: z.enum(commandStates).meta({
    description: [
      '`pending`: stored; `published`: in the broker, waiting for the agent; `applied`: the reader has acted on it;',
      '`failed`: it could not, or nobody answered in time (`timeout`); `superseded`: a newer command took its place',
    ].join(' '),
  }),
  createdAt: timestamp,
  settledAt: timestamp
    .optional()
    .meta({ description: 'When it was applied, failed or superseded; absent while it waits' }),
  error: z.string().optional().meta({ description: 'Why it failed (extension)' }),
};

/** A start or stop sent to a reader. */
export const readerCommandSchema = z
  .object({ id: uuid, kind: z.enum(radioCommandKinds), ...sent })
  .meta({ id: 'ReaderCommand', description: 'A start or stop sent to a reader' });
export type ReaderCommand = z.infer<typeof readerCommandSchema>;

/** Anything sent to a reader: `push-config` carries its antenna settings. */
export const sentCommandSchema = z
  .object({ id: uuid, kind: z.enum(commandKinds), ...sent })
  .meta({ id: 'SentCommand', description: 'A start, a stop or antenna settings sent to a reader' });
export type SentCommand = z.infer<typeof sentCommandSchema>;

/** Antenna settings sent to a reader, and what became of them. */
export const sentSettingsSchema = z
  .object({ id: uuid, ...sent })
  .meta({ id: 'SentSettings', description: 'Antenna settings sent to a reader (extension)' });
export type SentSettings = z.infer<typeof sentSettingsSchema>;

/** The body of PATCH /readers/{id}: at least one of them. */
export const readerChangeSchema = z
  .object({
    enabled: z.boolean().optional().meta({ description: 'True starts the radio, false stops it' }),
    name: nameInput.optional().meta({ description: '(extension) Another name for the reader' }),
  })
  .refine((change) => Object.keys(change).length > 0, 'must have enabled or name')
  .meta({ id: 'ReaderChange', description: 'Starts, stops or renames a reader' });

/**
 * What the service publishes on a reader's `commands` topic, QoS 1; start and stop are retained, settings are not. `no` grows
 * with every command (extension): what a broker kept for an agent that was away does not come in the order it was made in.
 */
export type CommandPayload = { readonly id: string; readonly no: number } & (
  | { readonly kind: 'start'; readonly preset: string }
  | { readonly kind: 'stop' }
  | { readonly kind: 'push-config'; readonly preset: Preset }
);

const commandId = 'the id of a command is expected';
const words = z.string('text or null is allowed').nullish();

/**
 * What the agent answers on `command-response`. The message of each check completes the sentence "ok is 7; …". Unknown
 * members are ignored.
 */
export const acknowledgementSchema = z.object({
  id: z.string(commandId).toLowerCase().check(z.guid(commandId)),
  ok: z.boolean('true or false is allowed'),
  /** Why it failed. */
  error: words,
  /** `started` after a start. */
  status: words,
});
export type Acknowledgement = z.infer<typeof acknowledgementSchema>;

export const readerCommandExample: ReaderCommand = {
  id: '8d4c2b1a-0f9e-4d8c-9b7a-6f5e4d3c2b1a',
  kind: 'start',
  state: 'applied',
  createdAt: '2026-03-02T09:10:02.004Z',
  settledAt: '2026-03-02T09:10:03.871Z',
};
