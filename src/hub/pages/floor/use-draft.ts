import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Floor } from '../../../contract/floor.ts';
import { type Drawing, draftOf, redone, stepped, undone } from './draft.ts';
import { keepWork, keptWork, type Work } from './drafts.ts';
import { clashesOf, isBegun, isSame, rebased, type Winner } from './rebase.ts';

/** Changes the drawing; `merge`: another bit of the same movement. */
export type Apply = (change: (drawing: Drawing) => Drawing, merge?: boolean) => void;

/** What of a floor is drawn. */
export const drawingOf = ({ zones, antennas }: Floor): Drawing => ({ zones, antennas });

function onto(work: Work, saved: Drawing, winner: Winner): Work {
  return { draft: rebased(work.draft, [work.base, saved], winner), base: saved };
}

/** Keeps what is drawn when somebody goes to another page, and has the browser ask before it is closed. */
function useKept(siteId: string, work: Work): void {
  const isDirty = isBegun(work.draft, work.base);
  useEffect(() => keepWork(siteId, isDirty ? work : null), [siteId, work, isDirty]);
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isDirty]);
}

/**
 * The drawing that somebody works on. What others save meanwhile is put under it; `clashes` names what both have changed,
 * which waits for `settle`.
 */
export function useDraft(siteId: string, floor: Floor) {
  const saved = useMemo(() => drawingOf(floor), [floor]);
  const [work, setWork] = useState<Work>(() => keptWork(siteId) ?? { draft: draftOf(saved), base: saved });
  const [hasJoined, setJoined] = useState(false);
  const isOld = useMemo(() => !isSame(work.base, saved), [work.base, saved]);
  const clashes = isOld ? clashesOf(work.base, work.draft.now, saved) : [];
  if (isOld && clashes.length === 0) {
    setWork(onto(work, saved, 'mine'));
    setJoined(isBegun(work.draft, work.base));
  }
  useKept(siteId, work);
  const turn = useCallback(
    (change: (draft: Work['draft']) => Work['draft']) =>
      setWork((old) => ({ ...old, draft: change(old.draft) })),
    [],
  );
  const apply: Apply = useCallback(
    (change, merge) => turn((old) => stepped(old, change(old.now), merge)),
    [turn],
  );
  return {
    ...{ draft: work.draft, base: work.base, isDirty: isBegun(work.draft, work.base), apply, clashes },
    /** What others have saved was put under what is drawn here. */
    hasJoined,
    undo: () => turn(undone),
    redo: () => turn(redone),
    /** Of what both have changed, one is to hold. */
    settle: (winner: Winner) => setWork((old) => onto(old, saved, winner)),
    /** Nothing is kept any more. */
    forget: () => keepWork(siteId, null),
  };
}

export type DraftWork = ReturnType<typeof useDraft>;
