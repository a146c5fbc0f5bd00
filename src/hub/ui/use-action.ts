import { notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { commonText } from '../text/common.ts';
import { useText } from '../text/language.ts';
import { useReason } from './failed.tsx';

interface Action<In, Out> {
  readonly run: (input: In) => Promise<Out>;
  /** Keys of the queries that the action changes the answer of. */
  readonly changes?: readonly QueryKey[];
  /** Said when it is done; nothing is said when absent. */
  readonly done?: string | ((out: Out) => string);
  readonly onDone?: (out: Out, input: In) => void;
  /** The form shows the failure itself. */
  readonly quiet?: boolean;
}

/** A change by REST: says what came of it, and makes what it changed be asked for again. What was typed stays where it is. */
export function useAction<In = void, Out = unknown>(action: Action<In, Out>) {
  const client = useQueryClient();
  const text = useText(commonText);
  const reason = useReason();
  return useMutation({
    mutationFn: action.run,
    onSuccess: async (out, input) => {
      const message = typeof action.done === 'function' ? action.done(out) : action.done;
      if (message) notifications.show({ message, color: 'green' });
      action.onDone?.(out, input);
      await Promise.all((action.changes ?? []).map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError: (error) => {
      if (action.quiet) return;
      notifications.show({ title: text.failed, message: reason(error), color: 'red', autoClose: 12_000 });
    },
  });
}
