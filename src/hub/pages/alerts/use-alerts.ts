import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { Alert } from '../../../contract/alert.ts';
import { call, callPiece } from '../../api/call.ts';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/language.ts';
import { useReason } from '../../ui/failed.tsx';
import { useAction } from '../../ui/use-action.ts';

export type State = Alert['state'];
export type Target = Exclude<State, 'open'>;

const POLL_MS = 15_000;
const SLOW_POLL_MS = 60_000;
/** Pieces that are asked for again at the usual pace: whoever looks far back looks at what does not change. */
const QUICK_PIECES = 3;

/** Alerts that stand there, newest first, in pieces of 100; asked for again and again. */
export const useAlerts = (state: State) =>
  useInfiniteQuery({
    queryKey: ['alerts', 'list', state],
    queryFn: ({ pageParam, signal }) => callPiece<Alert>(pageParam, signal),
    initialPageParam: `/alerts?state=${state}&limit=100`,
    getNextPageParam: (last) => last.next,
    refetchInterval: ({ state: { data } }) =>
      (data?.pages.length ?? 0) > QUICK_PIECES ? SLOW_POLL_MS : POLL_MS,
  });

export interface Move {
  readonly ids: readonly string[];
  readonly state: Target;
}

/** Moves alerts one after the other: a refusal of one does not keep the others. */
export function useMove(onDone: () => void) {
  const text = useText(alertsText);
  const client = useQueryClient();
  const reason = useReason();
  return useAction({
    run: async ({ ids, state }: Move) => {
      const refusals = await moveAll({ ids, state });
      await client.invalidateQueries({ queryKey: ['alerts'] });
      if (refusals.length > 0 && ids.length === 1) throw refusals[0];
      if (refusals.length > 0) throw new Error(text.partly(refusals.length, ids.length, reason(refusals[0])));
      return doneText(text, { ids, state });
    },
    done: (said) => said,
    onDone,
  });
}

async function moveAll({ ids, state }: Move): Promise<readonly unknown[]> {
  const refusals: unknown[] = [];
  for (const id of ids)
    await call('PATCH', `/alerts/${id}`, { body: { state } }).catch((error: unknown) => refusals.push(error));
  return refusals;
}

function doneText(text: (typeof alertsText)['en'], { ids, state }: Move): string {
  if (ids.length === 1) return state === 'acked' ? text.acknowledged : text.resolvedDone;
  return state === 'acked' ? text.manyAcknowledged(ids.length) : text.manyResolved(ids.length);
}
