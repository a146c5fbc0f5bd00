import { useLocation, useSearch } from 'wouter';
import { type Filter, filterOf, searchOf } from './filter.ts';

/** The filter in the address. Setting it keeps what is open, and makes no step to go back to. */
export function useFilter(): { readonly filter: Filter; readonly set: (filter: Filter) => void } {
  const [location, go] = useLocation();
  const filter = filterOf(useSearch());
  return { filter, set: (wanted) => go(location + searchOf(wanted), { replace: true }) };
}
