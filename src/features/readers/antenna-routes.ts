import { z } from 'zod';
import {
  type Antenna,
  type AntennaChange,
  antennaChangesSchema,
  antennaExample,
  antennaSchema,
} from '../../contract/antenna.ts';
import { effectivePowerCdbm } from '../../domain/preset.ts';
import { type FieldError, invalid, refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import { auditedWrite } from '../../store/audit.ts';
import type { AntennaRecord } from '../../store/records.ts';
import type { Reading, Store, Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { commandAntennas } from './antenna-commands.ts';
import { type SendCommand, sendAndWait } from './send-command.ts';

export interface AntennaRoutesOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
  readonly sendCommand: SendCommand;
}

const params = z.object({ id: uuidParam('reader') });
const shared = {
  path: '/readers/{id}/antennas',
  tag: 'Readers and antennas',
  access: 'caller',
  params,
} as const;
const responses = {
  200: {
    description: 'The antennas, one per port 1 to 4',
    schema: z.array(antennaSchema),
    example: [antennaExample],
  },
};

/** GET and PUT /readers/{id}/antennas. */
export function antennaRoutes(options: AntennaRoutesOptions): readonly Route[] {
  return [listRoute(options), changeRoute(options)];
}

function listRoute({ store }: AntennaRoutesOptions): Route {
  return route({
    ...shared,
    method: 'GET',
    operationId: 'listAntennas',
    summary: 'The antennas of a reader',
    responses,
    handle: ({ caller: { orgId }, params: { id } }) => ({
      status: 200,
      body: antennasOf(store, orgId, id).map(shownIn(store, orgId, id)),
    }),
  });
}

function changeRoute({ store, now, newId, sendCommand }: AntennaRoutesOptions): Route {
  return route({
    ...shared,
    method: 'PUT',
    operationId: 'changeAntennas',
    summary: 'Change antennas of a reader',
    description: [
      'One object for each port to change. Settings left out stay as they are, but `zoneId` and `role` are always set:',
      'without `zoneId` the port becomes unmapped. An unknown or repeated port, an unknown zone or a value out of range',
      'is answered with 400, and nothing is changed. The settings go out to the reader at once, as a whole, and',
      '`lastSettings` of the reader shows what became of them; with every port off the radio is stopped.',
    ].join(' '),
    body: antennaChangesSchema,
    bodyExample: [{ port: 1, zoneId: antennaExample.zoneId, transmitPowerCdbm: 2400 }],
    responses,
    handle: async ({ caller, params: { id }, body }) => {
      const { orgId } = caller;
      const at = now();
      const key = { orgId, readerId: id };
      const after = await auditedWrite(store, { author: caller, now: at }, (tx, note) => {
        const before = antennasOf(tx, orgId, id);
        checkZones(tx, orgId, body);
        const changed = before.map((antenna) => withChange(antenna, body));
        tx.put(tables.antennas, [orgId, id], changed);
        commandAntennas(tx, { ...key, before, after: changed, newId, now: at });
        const resource = `readers/${id}/antennas`;
        note({ action: 'update', resource, before: byPort(before), after: byPort(changed) });
        return changed.map(shownIn(tx, orgId, id));
      });
      await sendAndWait(sendCommand, key);
      return { status: 200, body: after };
    },
  });
}

function antennasOf(reading: Reading, orgId: string, readerId: string): readonly AntennaRecord[] {
  const antennas = reading.get(tables.antennas, [orgId, readerId]);
  if (!antennas) throw refuse('not-found', 'There is no reader with this id.');
  return antennas;
}

function checkZones(tx: Tx, orgId: string, changes: readonly AntennaChange[]): void {
  const errors = changes.flatMap(({ zoneId }, index): FieldError[] =>
    zoneId === null || tx.get(tables.zones, [orgId, zoneId])
      ? []
      : [{ path: `${index}.zoneId`, message: 'is the id of no zone' }],
  );
  const [first] = errors;
  if (first) throw invalid(`${first.path} ${first.message}.`, errors);
}

// The change's own members are all settings but the port, which is the same; absent ones are no members at all.
function withChange(antenna: AntennaRecord, changes: readonly AntennaChange[]): AntennaRecord {
  return { ...antenna, ...changes.find(({ port }) => port === antenna.port) };
}

function shownIn(reading: Reading, orgId: string, readerId: string): (antenna: AntennaRecord) => Antenna {
  return ({ id, port, zoneId, ...settings }) => {
    const zone = zoneId === null ? undefined : reading.get(tables.zones, [orgId, zoneId]);
    const effective = effectivePowerCdbm(settings.transmitPowerCdbm);
    const zoneName = zone?.name ?? null;
    return { id, readerId, port, zoneId, zoneName, ...settings, effectivePowerCdbm: effective };
  };
}

function byPort(antennas: readonly AntennaRecord[]): object {
  return Object.fromEntries(antennas.map((antenna) => [`port ${antenna.port}`, antenna]));
}
