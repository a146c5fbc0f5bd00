import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditEntryView } from '../../../contract/audit.ts';
import { callPiece } from '../../api/call.ts';

/** What the log can be narrowed to: nouns of the interface. */
export const auditNouns = [
  ...['users', 'api-keys', 'webhooks', 'license', 'organisations', 'sites', 'readers', 'devices'],
  ...['zones', 'fields', 'tags', 'assets', 'alerts', 'system'],
] as const;

/** The audit log, newest first, in pieces of 50; `resource` empty: all of it. */
export const useAudit = (resource: string) =>
  useInfiniteQuery({
    queryKey: ['audit', resource],
    queryFn: ({ pageParam, signal }) => callPiece<AuditEntryView>(pageParam, signal),
    initialPageParam: `/audit?limit=50${resource && `&resource=${encodeURIComponent(resource)}`}`,
    getNextPageParam: (last) => last.next,
  });
