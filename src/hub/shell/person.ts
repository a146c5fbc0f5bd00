import type { Identity } from '../../contract/identity.ts';
import { queryClient } from '../api/query-client.ts';
import { forgetAll as forgetDrawings } from '../pages/floor/drafts.ts';
import { forgetAll as forgetSettings } from '../pages/readers/drafts.ts';

const idNow = (): string | undefined => queryClient.getQueryData<Identity | null>(['me'])?.id;

/** Nothing of what a person saw, or began and did not save, stays in the page. */
export function forgetPerson(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
  forgetDrawings();
  forgetSettings();
}

/** From now on a person is forgotten when another one comes, by whatever login; whoever comes back finds what they began. */
export function watchPerson(): void {
  let last = idNow();
  queryClient.getQueryCache().subscribe(({ query }) => {
    const id = query.queryKey[0] === 'me' ? idNow() : undefined;
    if (id === undefined || id === last) return;
    const isAnother = last !== undefined;
    last = id;
    if (isAnother) forgetPerson();
  });
}
