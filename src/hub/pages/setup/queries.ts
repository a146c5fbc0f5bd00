import { useQuery } from '@tanstack/react-query';
import type { ProvisionedDevice, UnclaimedDevice } from '../../../contract/device.ts';
import type { Organisation } from '../../../contract/organisation.ts';
import { call } from '../../api/call.ts';
import { useIsAdmin } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';

export const useOrganisation = () =>
  useQuery({
    queryKey: ['organisation'],
    queryFn: ({ signal }) => call<Organisation>('GET', '/organisation', { signal }),
  });

/** Devices that are provisioned and not claimed; only administrators may see them. */
export const useUnclaimed = () => {
  const isAdmin = useIsAdmin();
  return useQuery({
    queryKey: ['devices', 'unclaimed'],
    queryFn: ({ signal }) => call<UnclaimedDevice[]>('GET', '/devices/unclaimed', { signal }),
    enabled: isAdmin,
    refetchInterval: 5000,
  });
};

/** An identity that was just issued, with the name its reader has. */
export interface Issued extends ProvisionedDevice {
  readonly name: string;
}

// In the memory of the page only, and gone with everything else when somebody logs out: a private key is in it.
const issuedKey = ['issued identity'];
queryClient.setQueryDefaults(issuedKey, {
  gcTime: Number.POSITIVE_INFINITY,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Keeps an identity until its files were taken; null forgets it. */
export const keepIssued = (issued: Issued | null): void => {
  queryClient.setQueryData<Issued | null>(issuedKey, issued);
};

/** The identity whose files are still to be taken. */
export const useIssued = (): Issued | null =>
  useQuery<Issued | null>({ queryKey: issuedKey, queryFn: () => null, enabled: false }).data ?? null;
