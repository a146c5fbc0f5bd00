import { refuse } from '../../domain/refusal.ts';
import type { Caller } from '../../http/route.ts';
import { orgNoOf } from '../../store/organisations.ts';
import type { Reading } from '../../store/store.ts';

/** The organisation that the first start made. */
const FIRST = 1;

/**
 * The appliance as a whole is the business of the organisation that the first start made: what it tells of itself names
 * readers and files of all of them. Throws `forbidden` for everybody else.
 */
export function requireOperators(reading: Reading, { orgId }: Caller): void {
  if (orgNoOf(reading, orgId) === FIRST) return;
  throw refuse('forbidden', 'Only administrators of the first organisation may see to the appliance.');
}
