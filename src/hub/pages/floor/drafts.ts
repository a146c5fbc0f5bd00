import type { Draft, Drawing } from './draft.ts';

/** What somebody draws, and the saved drawing it goes out from. */
export interface Work {
  readonly draft: Draft;
  readonly base: Drawing;
}

const works = new Map<string, Work>();

/** A drawing of a site that was begun and not saved: it outlasts going to another page. */
export const keptWork = (siteId: string): Work | undefined => works.get(siteId);

export function keepWork(siteId: string, work: Work | null): void {
  if (work) works.set(siteId, work);
  else works.delete(siteId);
}

/** Drops what was begun of every site. */
export const forgetAll = (): void => works.clear();
