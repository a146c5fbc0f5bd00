import { Redirect } from 'wouter';
import { useIsAdmin, useMe, useReaders } from '../../api/queries.ts';
import { Loading } from '../../ui/loading.tsx';
import { isLater } from './later.ts';

/** Where the start page leads: an administrator of an appliance that is not set up yet to the first run, everybody else to what is where. */
export function Start() {
  const me = useMe().data;
  const isAdmin = useIsAdmin();
  const readers = useReaders();
  if (!isAdmin || isLater()) return <Redirect to="/now" replace />;
  if (me?.mustChangePassword) return <Redirect to="/setup" replace />;
  if (readers.isPending) return <Loading />;
  return <Redirect to={readers.data?.length === 0 ? '/setup' : '/now'} replace />;
}
