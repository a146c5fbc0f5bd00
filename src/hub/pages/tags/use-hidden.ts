import { useState } from 'react';

const KEY = 'tagkeep-tags-hidden';
const HIDDEN_MAX = 500;

/** Ids of fields, from what the browser kept; nothing when that is not such a list. */
function parseHidden(kept: string | null): readonly string[] {
  try {
    const list: unknown = JSON.parse(kept ?? '[]');
    return Array.isArray(list) ? list.filter((id) => typeof id === 'string').slice(0, HIDDEN_MAX) : [];
  } catch {
    return [];
  }
}

/** Columns that somebody hid. Kept in this browser: it is about what they work with, not about the data. */
export function useHidden() {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(
    () => new Set(parseHidden(localStorage.getItem(KEY))),
  );
  const keep = (next: ReadonlySet<string>) => {
    localStorage.setItem(KEY, JSON.stringify([...next].slice(-HIDDEN_MAX)));
    setHidden(next);
  };
  const hide = (id: string) => keep(new Set([...hidden, id]));
  const show = (id: string) => keep(new Set([...hidden].filter((one) => one !== id)));
  return { hidden, hide, show };
}
