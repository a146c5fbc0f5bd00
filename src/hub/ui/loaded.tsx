import type { ReactNode } from 'react';
import { Failed } from './failed.tsx';
import { Loading } from './loading.tsx';

interface Props<T> {
  /** Of a query, or of several taken together. */
  readonly query: {
    readonly data: T | undefined;
    readonly error: unknown;
    readonly refetch: () => Promise<unknown>;
  };
  readonly children: (data: T) => ReactNode;
  readonly loading?: ReactNode;
}

/** What a query answered; its loading state before, its failure in place of it. An answer is kept when asking again fails. */
export function Loaded<T>({ query, children, loading }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return loading ?? <Loading />;
}
