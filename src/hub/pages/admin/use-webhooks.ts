import { useQuery } from '@tanstack/react-query';
import type { DeadLetter, Delivery, Webhook } from '../../../contract/webhook.ts';
import { call } from '../../api/call.ts';

const POLL_MS = 10_000;

export const useWebhooks = () =>
  useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => call<Webhook[]>('GET', '/webhooks', { signal }),
    refetchInterval: POLL_MS,
  });

/** The last attempts, newest first, up to 200. */
export const useDeliveries = (id: string) =>
  useQuery({
    queryKey: ['webhooks', id, 'deliveries'],
    queryFn: ({ signal }) => call<Delivery[]>('GET', `/webhooks/${id}/deliveries`, { signal }),
    refetchInterval: POLL_MS,
  });

/** What was given up, newest first, up to 1000. */
export const useDeadLetters = (id: string) =>
  useQuery({
    queryKey: ['webhooks', id, 'dead-letters'],
    queryFn: ({ signal }) => call<DeadLetter[]>('GET', `/webhooks/${id}/dead-letters`, { signal }),
    refetchInterval: POLL_MS,
  });
