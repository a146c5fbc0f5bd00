import type { Identity } from '../../contract/identity.ts';
import type { UserRecord } from '../../store/records.ts';

/** A user who is logged in, as the interface tells who is calling. */
export function identityOf({ id, email, role, firstPassword }: UserRecord): Identity {
  return { id, email, role, viaKey: false, ...(firstPassword && { mustChangePassword: true as const }) };
}
