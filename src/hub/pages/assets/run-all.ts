const AT_ONCE = 4;

/** What became of an action on many. */
export interface Outcome<T> {
  readonly done: readonly T[];
  readonly failed: readonly { readonly item: T; readonly error: unknown }[];
}

/** Does something to each item, a few at a time; what fails does not stop the others. `onStep` is told how many are through. */
export async function runAll<T>(
  items: readonly T[],
  run: (item: T) => Promise<unknown>,
  onStep: (through: number) => void = () => undefined,
): Promise<Outcome<T>> {
  const done: T[] = [];
  const failed: { item: T; error: unknown }[] = [];
  let through = 0;
  const waiting = items.values();
  const work = async () => {
    for (const item of waiting) {
      await run(item).then(
        () => done.push(item),
        (error: unknown) => failed.push({ item, error }),
      );
      through += 1;
      onStep(through);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, failed };
}
