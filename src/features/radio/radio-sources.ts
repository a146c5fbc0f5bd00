import type { LocationPolicy } from '../../domain/zone.ts';
import type { Directory } from '../../store/directory.ts';
import type { Store } from '../../store/store.ts';
import type { TagStates } from '../../store/tag-states.ts';
import type { RecentReads } from './window.ts';

/** Where what is said of the radio comes from. */
export interface RadioSources {
  readonly store: Store;
  readonly directory: Directory;
  readonly states: TagStates;
  readonly recent: RecentReads;
  /** The asset link of a tag, or null. */
  readonly linkOf: (tagNo: number) => { readonly label: string | null } | null;
  /** The value of a tag's name field. */
  readonly labelOf: (orgId: string, tagNo: number) => string | undefined;
  /** The appliance's `location.policy`. */
  readonly locationPolicy: LocationPolicy;
  /** Epoch ms. */
  readonly now: () => number;
}
