import { useCallback, useEffect, useState } from 'react';
import type { Floor } from '../../../contract/floor.ts';
import { type Drawing, draftOf, redone, stepped, undone } from './draft.ts';
import { keepDraft, keptDraft } from './drafts.ts';

/** Changes the drawing; `merge`: another bit of the same movement. */
export type Apply = (change: (drawing: Drawing) => Drawing, merge?: boolean) => void;

/** The drawing that somebody works on. It is kept when they go to another page, and the browser asks before it is closed. */
export function useDraft(siteId: string, floor: Floor) {
  const [draft, setDraft] = useState(
    () => keptDraft(siteId) ?? draftOf({ zones: floor.zones, antennas: floor.antennas }),
  );
  const isDirty = draft.past.length > 0;
  useEffect(() => keepDraft(siteId, isDirty ? draft : null), [siteId, draft, isDirty]);
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isDirty]);
  const apply: Apply = useCallback(
    (change, merge) => setDraft((old) => stepped(old, change(old.now), merge)),
    [],
  );
  return {
    ...{ draft, isDirty, apply },
    undo: () => setDraft(undone),
    redo: () => setDraft(redone),
    /** Nothing is kept any more. */
    forget: () => keepDraft(siteId, null),
  };
}

export type DraftWork = ReturnType<typeof useDraft>;
