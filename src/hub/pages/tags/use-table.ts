import { useCallback, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { type Chosen, choose } from './chosen.ts';
import { isEverything, type ListQuery, listPath, queryOf, searchOf } from './list-query.ts';
import type { TagList, Window } from './tag-list.ts';
import { useLiveRows } from './use-live-rows.ts';
import { usePlacedList } from './use-placed-list.ts';
import { useTagList } from './use-tag-list.ts';

/** The list the address asks for, what the stream adds to it, and which rows are chosen. */
export function useTable() {
  const query = queryOf(useSearch());
  const [location, go] = useLocation();
  const [generation, setGeneration] = useState(0);
  const [view, setView] = useState<Window>({ first: 0, last: 0 });
  const [chosen, setChosen] = useState<Chosen>(new Set());
  const live = useLiveRows();
  const path = listPath(query);
  const isAll = isEverything(query);
  const placed = usePlacedList(isAll, generation, view);
  const found = useTagList(isAll ? null : path, generation, view);
  const onWindow = useCallback((next: Window) => setView(next), []);
  return {
    query,
    list: isAll ? placed : found,
    live,
    /** Changes whenever the list begins anew. */
    key: `${generation} ${path}`,
    setQuery: (next: ListQuery) => {
      setView({ first: 0, last: 0 });
      setChosen(new Set());
      go(location + searchOf(next), { replace: true });
    },
    reload: () => {
      live.forget();
      setView({ first: 0, last: 0 });
      setGeneration((before) => before + 1);
    },
    onWindow,
    chosen,
    choose: (epcs: readonly string[], off: boolean) => setChosen((before) => choose(before, epcs, off)),
    chooseNone: () => setChosen(new Set()),
  };
}

export type Table = Omit<ReturnType<typeof useTable>, 'list'> & { readonly list: TagList };
