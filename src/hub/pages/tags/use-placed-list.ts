import { skipToken, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Tag, TagPosition } from '../../../contract/tag.ts';
import { call, callPiece } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import {
  type Answer,
  changed,
  extentOf,
  isEnoughBefore,
  NOTHING,
  type Question,
  questionFor,
  rowsOf,
  type Stretch,
  taken,
} from './placed-pieces.ts';
import { hearRowChanges } from './row-changes.ts';
import type { TagList, Window } from './tag-list.ts';

/** The scroll bar that is dragged on is not asked for. */
const DRAG_MS = 60;
const TOTAL_MS = 30_000;

/** Asked for again whenever something changes tags. */
const totalKey = (generation: number) => ['tag', 'total', generation] as const;

const positionAt = (offset: number, signal: AbortSignal) =>
  call<TagPosition>('GET', `/tags/position?offset=${offset}`, { signal });

interface Asking {
  readonly known: Stretch;
  readonly generation: number;
  readonly signal: AbortSignal;
}

async function placeOf(offset: number, { generation, signal }: Asking): Promise<TagPosition | null> {
  if (offset === 0) return null;
  const position = await positionAt(offset, signal);
  queryClient.setQueryData(totalKey(generation), position.total);
  return position;
}

async function ask(question: Question, asking: Asking): Promise<Answer> {
  const { known, signal } = asking;
  if (question.kind === 'after')
    return { ...(await callPiece<Tag>(question.path, signal)), path: question.path, total: null };
  const { kind, offset, limit } = question;
  if (kind === 'at' && offset > 0) await new Promise((resolve) => setTimeout(resolve, DRAG_MS));
  signal.throwIfAborted();
  const place = await placeOf(offset, asking);
  const path = `/tags?limit=${limit}${place?.cursor ? `&cursor=${place.cursor}` : ''}`;
  let { items, next } = await callPiece<Tag>(path, signal);
  while (kind === 'before' && next !== null && !isEnoughBefore(known, offset, items)) {
    const more = await callPiece<Tag>(next, signal);
    items = [...items, ...more.items];
    next = more.next;
  }
  return { path, items, next, total: place?.total ?? null };
}

function useTotal(isOn: boolean, generation: number): number | null {
  const { data } = useQuery({
    queryKey: totalKey(generation),
    queryFn: async ({ signal }) => (await positionAt(0, signal)).total,
    enabled: isOn,
    refetchInterval: TOTAL_MS,
  });
  return data ?? null;
}

function useQuestion(question: Question | null, asking: Omit<Asking, 'signal'>) {
  return useQuery({
    queryKey: ['tags', 'place', asking.generation, asking.known.answers, question],
    queryFn: question ? ({ signal }) => ask(question, { ...asking, signal }) : skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    structuralSharing: false,
  });
}

/**
 * The list of all tags. It has all its rows from the beginning; their tags are asked for where it is looked at, and those far
 * from there are let go. Give it a new `generation` to begin anew; nothing is asked for unless it is on.
 */
export function usePlacedList(isOn: boolean, generation: number, window: Window): TagList {
  const key = `${generation} ${isOn}`;
  const [state, setState] = useState({ key, known: NOTHING });
  const fresh = state.key === key ? state : { key, known: NOTHING };
  if (fresh !== state) setState(fresh);
  const { known } = fresh;
  const total = useTotal(isOn, generation);
  const question = isOn ? questionFor(known, window) : null;
  const { data, error, refetch } = useQuestion(question, { known, generation });
  useEffect(() => {
    if (!question || !data) return;
    const answer = { ...data, total: data.total ?? total };
    setState((now) =>
      now.known === known ? { key, known: taken(known, { question, answer }, window) } : now,
    );
  });
  useEffect(
    () =>
      hearRowChanges((change) =>
        setState((now) => {
          const next = changed(now.known, change);
          return next === now.known ? now : { ...now, known: next };
        }),
      ),
    [],
  );
  const rows = useMemo(() => rowsOf(known), [known]);
  return {
    ...extentOf(known, total),
    error: data ? null : error,
    retry: () => void refetch(),
    at: (index) => rows[index - known.start],
    loaded: () => rows,
  };
}
