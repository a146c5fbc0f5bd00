import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The longest the event loop was held by a work, ms. */
export async function stallOf(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const oneTurn = () => new Promise((resolve) => setTimeout(resolve, 5));
  delay.enable();
  // The time is taken from tick to tick: one before the work, and one after it.
  await oneTurn();
  await work();
  await oneTurn();
  delay.disable();
  return delay.max / 1e6;
}
