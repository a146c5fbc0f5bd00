import { z } from 'zod';
import {
  type AuditEntryView,
  auditEntryExample,
  auditEntrySchema,
  auditQuerySchema,
} from '../../contract/audit.ts';
import { linkHeader, nextLink } from '../../contract/paging.ts';
import { limits } from '../../domain/limits.ts';
import { type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import { type AuditLogEntry, readAudit } from '../../store/audit-log.ts';
import type { Store } from '../../store/store.ts';

export interface AuditRoutesOptions {
  readonly store: Store;
  /** Entries looked through for one answer; for tests. */
  readonly lookThrough?: number;
}

const description = [
  `Who did what, when and from where: newest first, up to ${limits.auditPerAnswer} entries. Every write is here, of the REST`,
  'interface and of the command line, and every login. No secret ever is. With `resource` an answer may be short or empty',
  'while there is more: it looks through 100,000 entries at most. Follow the `Link` header until there is none.',
].join(' ');

/** GET /audit, for administrators. */
export function auditRoutes({ store, lookThrough }: AuditRoutesOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/audit',
      operationId: 'listAudit',
      summary: 'The audit log, newest first',
      description,
      tag: 'Account',
      access: 'admin',
      query: auditQuerySchema,
      responses: {
        200: {
          description: 'Entries',
          schema: z.array(auditEntrySchema),
          headers: linkHeader,
          example: [auditEntryExample],
        },
      },
      handle: async ({ caller, query, raw }) => {
        const { resource, cursor, limit = limits.auditPerAnswer } = query;
        const before = cursor && { at: cursor.key, no: cursor.no };
        const wanted = { resource: resource?.replace(/\/+$/, ''), before, limit };
        const page = await readAudit(store, caller.orgId, {
          ...wanted,
          ...(lookThrough !== undefined && { lookThrough }),
        });
        return { status: 200, body: page.entries.map(shown), headers: linkTo(raw.req.url ?? '', page.next) };
      },
    }),
  ];
}

function linkTo(
  url: string,
  next: { readonly at: number; readonly no: number } | null,
): Readonly<Record<string, string>> {
  if (!next) return {};
  const position = { key: next.at, no: next.no };
  // Of two found one fits: where the page ended does not depend on its length here.
  return nextLink(url, [position, position], 1);
}

function shown({ at, actor, address, action, resource, before, after }: AuditLogEntry): AuditEntryView {
  const change = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  return { at: formatInstant(at), actor: { ...actor }, address, action, resource, ...change };
}
