import { backupBegunSchema, backupsAnswerSchema, backupsExample } from '../../contract/system.ts';
import { refuse } from '../../domain/refusal.ts';
import { type Route, route } from '../../http/route.ts';
import { auditedWrite } from '../../store/audit.ts';
import type { SystemRoutesOptions } from './appliance-system.ts';
import { requireOperators } from './operators.ts';

const shared = { path: '/system/backups', tag: 'System', access: 'admin' } as const;

/** GET and POST /system/backups. */
export function backupRoutes(options: SystemRoutesOptions): readonly Route[] {
  return [listRoute(options), beginRoute(options)];
}

function listRoute({ store, system }: SystemRoutesOptions): Route {
  return route({
    ...shared,
    method: 'GET',
    operationId: 'listBackups',
    summary: 'The scheduled backups (extension)',
    description: 'Names and sizes only; a backup is restored on the command line.',
    responses: {
      200: { description: 'Backups', schema: backupsAnswerSchema, example: backupsExample },
    },
    handle: async ({ caller }) => {
      requireOperators(store, caller);
      return { status: 200, body: await system.backups.tell() };
    },
  });
}

function beginRoute({ store, system, now }: SystemRoutesOptions): Route {
  return route({
    ...shared,
    method: 'POST',
    operationId: 'beginBackup',
    summary: 'Make a backup now (extension)',
    description:
      'As the schedule makes it, into `backup.dir`. What came of it is in `last` once `running` is false. Takes no body; one that is sent is not read.',
    responses: { 202: { description: 'Begun', schema: backupBegunSchema, example: { running: true } } },
    refusals: ['backup-folder-missing', 'backup-running'],
    handle: async ({ caller }) => {
      requireOperators(store, caller);
      const { backups } = system;
      if (!backups.hasFolder)
        throw refuse('backup-folder-missing', 'No folder for backups is configured: set backup.dir.');
      if (backups.isRunning()) throw refuse('backup-running', 'A backup is being made already.');
      await auditedWrite(store, { author: caller, now: now() }, (_tx, note) =>
        note({ action: 'create', resource: 'system/backups' }),
      );
      backups.begin();
      return { status: 202, body: { running: true } };
    },
  });
}
