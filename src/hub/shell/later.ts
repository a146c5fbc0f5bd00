import { type ComponentType, lazy } from 'react';

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/**
 * A part of the hub that comes after the first picture, asked for again until it is there; meanwhile the `Suspense` around it
 * shows what it has. A part that stands outside of every page must not fail for want of its file: nothing but the whole hub
 * would be left to take down.
 */
export const later = <P extends object>(load: () => Promise<ComponentType<P>>) =>
  lazy(async () => ({ default: await insist(load, FIRST_WAIT_MS) }));

async function insist<T>(load: () => Promise<T>, waitMs: number): Promise<T> {
  try {
    return await load();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    return insist(load, Math.min(2 * waitMs, LONGEST_WAIT_MS));
  }
}
