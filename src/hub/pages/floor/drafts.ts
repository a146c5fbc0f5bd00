import type { Draft } from './draft.ts';

const drafts = new Map<string, Draft>();

/** A drawing of a site that was begun and not saved: it outlasts going to another page. */
export const keptDraft = (siteId: string): Draft | undefined => drafts.get(siteId);

export function keepDraft(siteId: string, draft: Draft | null): void {
  if (draft) drafts.set(siteId, draft);
  else drafts.delete(siteId);
}
