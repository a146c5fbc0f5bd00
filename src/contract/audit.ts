import { z } from 'zod';
import { limits } from '../domain/limits.ts';
import { pageQuery } from './paging.ts';
import { timestamp } from './scalars.ts';

const change = z.unknown().optional();

/** An entry of the audit log. */
export const auditEntrySchema = z
  .object({
    at: timestamp,
    actor: z
      .object({
        kind: z.enum(['user', 'key', 'cli', 'system']),
        id: z.string().meta({ description: 'Of the user or API key; empty for the others' }),
        name: z.string().optional().meta({ description: "A user's e-mail address or a key's name" }),
      })
      .meta({ description: '`cli`: the command line of the appliance; `system`: the appliance by itself' }),
    address: z.string().nullable().meta({ description: 'Where the request came from' }),
    action: z.string(),
    resource: z.string().meta({ description: 'As the interface addresses it: `zones/<id>`' }),
    before: change.meta({ description: 'What it was: of a change only the members that differ' }),
    after: change.meta({ description: 'What it became' }),
  })
  .meta({ id: 'AuditEntry', description: 'One thing somebody did' });
export type AuditEntryView = z.infer<typeof auditEntrySchema>;

/** The query of GET /audit. */
export const auditQuerySchema = z.object({
  resource: z
    .string()
    .min(1)
    .max(limits.nameMaxLength * 2)
    .optional()
    .meta({ description: '`zones` for everything about zones, `zones/<id>` for one of them' }),
  ...pageQuery(limits.auditPerAnswer),
});

export const auditEntryExample: AuditEntryView = {
  at: '2026-03-02T09:15:37.412Z',
  actor: { kind: 'user', id: '4c8e1f20-9a3b-4d5c-8e7f-1a2b3c4d5e6f', name: 'ada@example.org' },
  address: '192.0.2.17',
  action: 'update',
  resource: 'zones/2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f',
  before: { name: 'Dock' },
  after: { name: 'Dock 1' },
};
