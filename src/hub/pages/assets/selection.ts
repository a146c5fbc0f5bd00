import { useCallback, useState } from 'react';
import type { Asset } from '../../../contract/asset.ts';

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly assets: readonly Asset[];
  readonly toggle: (id: string) => void;
  /** Selects all that are shown; when some are, none. */
  readonly all: () => void;
  readonly clear: () => void;
}

const none: ReadonlySet<string> = new Set();

/** Which of the assets that are shown are selected: one that leaves the list leaves the selection. */
export function useSelection(shown: readonly Asset[]): Selection {
  const [wanted, want] = useState(none);
  const toggle = useCallback(
    (id: string) =>
      want((before) => {
        const after = new Set(before);
        if (!after.delete(id)) after.add(id);
        return after;
      }),
    [],
  );
  const assets = shown.filter(({ id }) => wanted.has(id));
  const ids = new Set(assets.map(({ id }) => id));
  const all = () => want(ids.size > 0 ? none : new Set(shown.map(({ id }) => id)));
  return { ids, assets, toggle, all, clear: () => want(none) };
}
