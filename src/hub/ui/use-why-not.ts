import { useCanWrite, useIsAdmin } from '../api/queries.ts';
import { commonText } from '../text/common.ts';
import { useText } from '../text/language.ts';

/** Why something cannot be changed here and now, in a sentence; null when it can. `isAdminOnly`: operators may not. */
export function useWhyNot(isAdminOnly = false): string | null {
  const text = useText(commonText);
  const canWrite = useCanWrite();
  const isAdmin = useIsAdmin();
  if (!canWrite) return text.readOnlyWhy;
  return isAdminOnly && !isAdmin ? text.adminOnly : null;
}
