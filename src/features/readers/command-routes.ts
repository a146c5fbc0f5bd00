import { z } from 'zod';
import { readerChangeSchema, readerCommandExample, sentCommandSchema } from '../../contract/command.ts';
import { readerExample, readerSchema } from '../../contract/reader.ts';
import { commandsKept } from '../../domain/command.ts';
import { refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Caller, type Route, route } from '../../http/route.ts';
import { type AuditNote, auditedWrite } from '../../store/audit.ts';
import { addCommand, commandsOf, type ReaderKey } from '../../store/commands.ts';
import type { ReaderRecord } from '../../store/records.ts';
import type { Reading, Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { sentView } from './command-view.ts';
import type { ReaderRoutesOptions } from './reader-routes.ts';
import { shownReader } from './reader-view.ts';
import { type SendCommand, sendAndWait } from './send-command.ts';

export interface CommandRoutesOptions extends ReaderRoutesOptions {
  /** A new UUID. */
  readonly newId: () => string;
  readonly sendCommand: SendCommand;
}

const tag = 'Readers and antennas';
const params = z.object({ id: uuidParam('reader') });

/** PATCH /readers/{id}, GET /readers/{id}/commands. */
export function commandRoutes(options: CommandRoutesOptions): readonly Route[] {
  return [changeRoute(options), listRoute(options)];
}

function changeRoute(options: CommandRoutesOptions): Route {
  return route({
    method: 'PATCH',
    path: '/readers/{id}',
    operationId: 'changeReader',
    summary: 'Start, stop or rename a reader',
    description: [
      "The command goes out over the reader's connection, and `lastCommand` shows what became of it. A reader that is not",
      'connected finds it when it comes back; until then it shows as failed with `timeout`, and turns to applied then.',
      'The value that holds already sends the command again. A name alone sends none (extension).',
    ].join(' '),
    tag,
    access: 'caller',
    params,
    body: readerChangeSchema,
    refusals: ['no-antenna-enabled'],
    bodyExample: { enabled: false },
    responses: { 200: { description: 'The updated reader', schema: readerSchema, example: readerExample } },
    handle: async ({ caller, params: { id }, body }) => {
      const reader = { orgId: caller.orgId, readerId: id };
      await change(options, { caller, id, ...body });
      if (body.enabled !== undefined) await sendAndWait(options.sendCommand, reader);
      return { status: 200, body: shownReader(options, caller.orgId, readerOf(options.store, reader)) };
    },
  });
}

function listRoute({ store }: CommandRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/readers/{id}/commands',
    operationId: 'listCommands',
    summary: 'The commands sent to a reader, newest first (extension)',
    description: `The last ${commandsKept}, superseded ones and antenna settings (\`push-config\`) too.`,
    tag,
    access: 'caller',
    params,
    responses: {
      200: {
        description: 'Commands',
        schema: z.array(sentCommandSchema),
        example: [readerCommandExample],
      },
    },
    handle: ({ caller, params: { id } }) => {
      const reader = { orgId: caller.orgId, readerId: id };
      readerOf(store, reader);
      return { status: 200, body: commandsOf(store, reader).slice(0, commandsKept).map(sentView) };
    },
  });
}

interface Wish {
  readonly caller: Caller;
  readonly id: string;
  readonly enabled?: boolean | undefined;
  readonly name?: string | undefined;
}

/** What the reader is to do and the command that says so are one change: neither is there without the other. */
async function change(
  { store, now, newId }: CommandRoutesOptions,
  { caller, id, enabled, name }: Wish,
): Promise<void> {
  const at = now();
  const key = { orgId: caller.orgId, readerId: id };
  await auditedWrite(store, { author: caller, now: at }, (tx, note) => {
    const renamed = name !== undefined && rename(tx, key, name);
    if (renamed) note({ action: 'update', resource: `readers/${id}`, ...renamed });
    if (enabled !== undefined) note(command(tx, key, { enabled, id: newId(), now: at }));
  });
}

function rename(tx: Tx, key: ReaderKey, name: string): { before: object; after: object } {
  const before = readerOf(tx, key);
  tx.put(tables.readers, [key.orgId, key.readerId], { ...before, name });
  return { before: { name: before.name }, after: { name } };
}

interface Command {
  readonly enabled: boolean;
  readonly id: string;
  readonly now: number;
}

/** Answers what the audit log is to say of it. */
function command(tx: Tx, key: ReaderKey, { enabled, id, now }: Command): AuditNote {
  const before = readerOf(tx, key);
  if (enabled) refuseWithoutPort(tx, key);
  if (before.enabled !== enabled) tx.put(tables.readers, [key.orgId, key.readerId], { ...before, enabled });
  const kind = enabled ? 'start' : 'stop';
  const made = addCommand(tx, { ...key, id, kind, now });
  return {
    ...{ action: kind, resource: `readers/${key.readerId}` },
    ...{ before: { enabled: before.enabled }, after: { enabled, command: made.id } },
  };
}

/** Nothing could be read, and no preset can say so: not even half a start is recorded. */
function refuseWithoutPort(tx: Tx, { orgId, readerId }: ReaderKey): void {
  const antennas = tx.get(tables.antennas, [orgId, readerId]) ?? [];
  if (antennas.some((antenna) => antenna.enabled)) return;
  throw refuse('no-antenna-enabled', 'Every antenna port of the reader is off; switch one on to start it.');
}

function readerOf(reading: Reading, { orgId, readerId }: ReaderKey): ReaderRecord {
  const reader = reading.get(tables.readers, [orgId, readerId]);
  if (!reader) throw refuse('not-found', 'There is no reader with this id.');
  return reader;
}
