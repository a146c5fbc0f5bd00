import { z } from 'zod';
import {
  configurationEntrySchema,
  configurationExample,
  doctorAnswerSchema,
  doctorExample,
  systemHealthExample,
  systemHealthSchema,
} from '../../contract/system.ts';
import { type Route, route } from '../../http/route.ts';
import type { SystemRoutesOptions } from './appliance-system.ts';
import { backupRoutes } from './backup-routes.ts';
import { requireOperators } from './operators.ts';

const tag = 'System';

/** Everything under /system: for administrators of the organisation that runs the appliance. */
export function systemRoutes(options: SystemRoutesOptions): readonly Route[] {
  return [healthRoute(options), doctorRoute(options), configurationRoute(options), ...backupRoutes(options)];
}

function healthRoute({ store, system }: SystemRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/system/health',
    operationId: 'getSystemHealth',
    summary: 'How the appliance fares (extension)',
    description: 'A few of the figures of `/metrics`, of the whole appliance; counters are since the start.',
    tag,
    access: 'admin',
    responses: {
      200: { description: 'Figures', schema: systemHealthSchema, example: systemHealthExample },
    },
    handle: async ({ caller }) => {
      requireOperators(store, caller);
      return { status: 200, body: await system.health() };
    },
  });
}

const doctorDescription = [
  'What `tagkeep doctor` finds, from a process of its own: it may take some seconds, and half a minute at most. One is at',
  'work at a time, and its answer is given again for 30 seconds. 503 when it came to nothing; `detail` says why. It names',
  'readers and shows beginnings of bad payloads of every organisation, and so is for administrators of the first one only.',
].join(' ');

function doctorRoute({ store, system }: SystemRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/system/doctor',
    operationId: 'getDoctor',
    summary: 'What tends to go wrong, looked at (extension)',
    description: doctorDescription,
    tag,
    access: 'admin',
    responses: { 200: { description: 'Findings', schema: doctorAnswerSchema, example: doctorExample } },
    refusals: ['unavailable'],
    handle: async ({ caller }) => {
      requireOperators(store, caller);
      return { status: 200, body: await system.doctor() };
    },
  });
}

function configurationRoute({ store, system }: SystemRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/system/configuration',
    operationId: 'getConfiguration',
    summary: 'Every option of the configuration in force (extension)',
    description: 'Secrets, and the names of files that hold them, are told as `set` or `not set`.',
    tag,
    access: 'admin',
    responses: {
      200: {
        description: 'Options',
        schema: z.array(configurationEntrySchema),
        example: configurationExample,
      },
    },
    handle: ({ caller }) => {
      requireOperators(store, caller);
      return { status: 200, body: system.configuration() };
    },
  });
}
