import { useSyncExternalStore } from 'react';
import type { Origin } from './antenna-clash.ts';
import { type Draft, isEdited } from './antenna-draft.ts';

/** Unsaved settings, and what was saved when each was touched. */
export interface Unsaved {
  readonly draft: Draft;
  readonly origin: Origin;
}

// Outside of the components: going back, or to another tab, keeps what was edited until it is saved or thrown away.
const drafts = new Map<string, Unsaved>();
const listeners = new Set<() => void>();
const none: Unsaved = { draft: {}, origin: {} };

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

// The browser asks before a tab with unsaved edits closes.
const guard = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Keeps the unsaved antenna settings of a reader; an empty draft drops them. */
export function keepDraft(readerId: string, draft: Draft, origin: Origin = {}): void {
  if (isEdited(draft)) drafts.set(readerId, { draft, origin });
  else drafts.delete(readerId);
  if (drafts.size > 0) addEventListener('beforeunload', guard);
  else removeEventListener('beforeunload', guard);
  for (const listener of listeners) listener();
}

/** Drops what was sent, once it is saved; what was edited since stays. */
export function dropSent(readerId: string, sent: Unsaved): void {
  if (drafts.get(readerId) === sent) keepDraft(readerId, {});
}

/** Drops what is unsaved of every reader, and has the browser ask nothing any more. */
export function forgetAll(): void {
  for (const readerId of drafts.keys()) keepDraft(readerId, {});
}

/** The unsaved antenna settings of a reader; an empty draft when there are none. */
export const useDraft = (readerId: string): Draft => useUnsaved(readerId).draft;

/** The same with what was saved when they were touched. */
export const useUnsaved = (readerId: string): Unsaved =>
  useSyncExternalStore(subscribe, () => drafts.get(readerId) ?? none);
