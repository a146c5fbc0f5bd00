import { licenceStanding } from '../../domain/licence.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { Caller, Route } from '../../http/route.ts';
import type { Licences } from '../../store/licences.ts';
import type { Store } from '../../store/store.ts';

export interface LicenceGuardOptions {
  readonly store: Store;
  readonly licences: Licences;
  /** Epoch ms. */
  readonly now: () => number;
}

/** What ends being read-only. Logging in and out are public, so nobody asks about them. */
const cure = 'PUT /license';

/**
 * For `beforeWrite` of `createHttp`: 402 for every REST write while the caller's licence is read-only. Reads from readers
 * come by another way and are still taken.
 */
export function licenceGuard({
  store,
  licences,
  now,
}: LicenceGuardOptions): (caller: Caller, route: Route) => Refusal | null {
  return ({ orgId }, { method, path }) => {
    if (`${method} ${path}` === cure) return null;
    const { readOnly, message } = licenceStanding(licences.of(store, orgId), now());
    return readOnly ? { kind: 'read-only', detail: message ?? 'The licence allows reading only.' } : null;
  };
}
