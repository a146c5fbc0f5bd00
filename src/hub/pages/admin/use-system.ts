import { useQuery } from '@tanstack/react-query';
import type { Organisation } from '../../../contract/organisation.ts';
import type {
  BackupsAnswer,
  ConfigurationEntry,
  DoctorAnswer,
  SystemHealth,
} from '../../../contract/system.ts';
import { call } from '../../api/call.ts';

const HEALTH_POLL_MS = 10_000;
const BACKUP_POLL_MS = 2000;
const IDLE_POLL_MS = 60_000;
/** The appliance gives the same answer again for so long. */
const DOCTOR_FRESH_MS = 30_000;

export const useHealth = () =>
  useQuery({
    queryKey: ['system', 'health'],
    queryFn: ({ signal }) => call<SystemHealth>('GET', '/system/health', { signal }),
    refetchInterval: HEALTH_POLL_MS,
  });

/** What the doctor found; takes seconds, and is asked for again only when somebody wants it. */
export const useDoctor = () =>
  useQuery({
    queryKey: ['system', 'doctor'],
    queryFn: ({ signal }) => call<DoctorAnswer>('GET', '/system/doctor', { signal }),
    staleTime: DOCTOR_FRESH_MS,
    retry: false,
  });

/** Backups; asked for often while one is being made. */
export const useBackups = () =>
  useQuery({
    queryKey: ['system', 'backups'],
    queryFn: ({ signal }) => call<BackupsAnswer>('GET', '/system/backups', { signal }),
    refetchInterval: ({ state }) => (state.data?.running ? BACKUP_POLL_MS : IDLE_POLL_MS),
  });

export const useConfiguration = () =>
  useQuery({
    queryKey: ['system', 'configuration'],
    queryFn: ({ signal }) => call<ConfigurationEntry[]>('GET', '/system/configuration', { signal }),
    // It counts from a start on.
    staleTime: 300_000,
  });

export const useOrganisation = () =>
  useQuery({
    queryKey: ['organisation'],
    queryFn: ({ signal }) => call<Organisation>('GET', '/organisation', { signal }),
  });
