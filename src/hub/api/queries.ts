import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { Alert } from '../../contract/alert.ts';
import type { Field } from '../../contract/field.ts';
import type { Identity } from '../../contract/identity.ts';
import type { InventorySummaryEntry } from '../../contract/inventory.ts';
import type { LicenceAnswer } from '../../contract/licence.ts';
import type { Reader } from '../../contract/reader.ts';
import type { Zone } from '../../contract/zone.ts';
import { call } from './call.ts';
import { CallError } from './problem.ts';
import { sessionEnded } from './session.ts';

// What several pages ask for. The first part of a key is the noun of the interface, so that a change can name what it touched.

async function askMe(client: QueryClient, signal: AbortSignal): Promise<Identity | null> {
  try {
    return await call<Identity>('GET', '/auth/me', { signal });
  } catch (error) {
    if (!(error instanceof CallError && error.status === 401)) throw error;
    const known = client.getQueryData<Identity | null>(['me']) ?? null;
    // Answering that it is nobody would replace the page, and what was typed there, by the login.
    if (known) sessionEnded();
    return known;
  }
}

/** Who is logged in, or was until the session ended; null when nobody was, or when they have logged out. */
export const useMe = () =>
  useQuery({
    queryKey: ['me'],
    queryFn: ({ client, signal }) => askMe(client, signal),
    staleTime: 60_000,
  });

export const useLicence = () =>
  useQuery({
    queryKey: ['license'],
    queryFn: ({ signal }) => call<LicenceAnswer>('GET', '/license', { signal }),
    refetchInterval: 300_000,
  });

export const useZones = () =>
  useQuery({ queryKey: ['zones'], queryFn: ({ signal }) => call<Zone[]>('GET', '/zones', { signal }) });

/** Readers' states are derived at the moment of asking, so they are asked for again and again. */
export const useReaders = () =>
  useQuery({
    queryKey: ['readers'],
    queryFn: ({ signal }) => call<Reader[]>('GET', '/readers', { signal }),
    refetchInterval: 5000,
  });

export const useSummary = () =>
  useQuery({
    queryKey: ['inventory', 'summary'],
    queryFn: ({ signal }) => call<InventorySummaryEntry[]>('GET', '/inventory/summary', { signal }),
    refetchInterval: 10_000,
  });

export const useFields = () =>
  useQuery({ queryKey: ['fields'], queryFn: ({ signal }) => call<Field[]>('GET', '/fields', { signal }) });

/** Alerts that are neither resolved nor acknowledged. */
export const useOpenAlerts = () =>
  useQuery({
    queryKey: ['alerts', 'open'],
    queryFn: ({ signal }) => call<Alert[]>('GET', '/alerts?state=open', { signal }),
    refetchInterval: 15_000,
  });

export interface Site {
  readonly id: string;
  readonly name: string;
  readonly timeZone: string;
  readonly createdAt: string;
}

export const useSites = () =>
  useQuery({
    queryKey: ['sites'],
    queryFn: ({ signal }) => call<Site[]>('GET', '/sites', { signal }),
    staleTime: 60_000,
  });

/** The oldest site, as the appliance has it: where zones are that name no other. */
export const homeOf = (sites: readonly Site[]): Site | undefined =>
  sites.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1))[0];

/** False while the licence refuses writes. */
export const useCanWrite = (): boolean => useLicence().data?.license.readOnly !== true;

export const useIsAdmin = (): boolean => useMe().data?.role === 'admin';
