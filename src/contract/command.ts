import { z } from 'zod';
import { commandKinds, commandStates } from '../domain/command.ts';
import { timestamp, uuid } from './scalars.ts';

/** A start or stop sent to a reader. */
export const readerCommandSchema = z
  .object({
    id: uuid,
    kind: z.enum(commandKinds),
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
  })
  .meta({ id: 'ReaderCommand', description: 'A start or stop sent to a reader' });
export type ReaderCommand = z.infer<typeof readerCommandSchema>;

/** The body of PATCH /readers/{id}. */
export const readerChangeSchema = z
  .object({ enabled: z.boolean().meta({ description: 'True starts the radio, false stops it' }) })
  .meta({ id: 'ReaderChange', description: 'Starts or stops a reader' });

/** What the service publishes on a reader's `commands` topic (retained, QoS 1) to start or stop it. */
export type CommandPayload =
  | { readonly kind: 'start'; readonly id: string; readonly preset: string }
  | { readonly kind: 'stop'; readonly id: string };

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
