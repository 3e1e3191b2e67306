/** What could not be done, and why. */
export type Failed<Item> = { item: Item; cause: unknown };

/**
 * Does the same to many, a few at a time. One that fails keeps none of the others from being done.
 *
 * @param options.limit - How many at a time, 1 or more.
 * @param options.onDone - Called after each one with how many are over.
 * @returns Those that failed, in the order of `items`; empty when all went well.
 */
export async function runBounded<Item>(options: {
  items: readonly Item[];
  limit: number;
  run: (item: Item) => Promise<unknown>;
  onDone?: (count: number) => void;
}): Promise<Failed<Item>[]> {
  const { items, limit, run, onDone } = options;
  const causes = new Map<number, unknown>();
  let next = 0;
  let done = 0;

  async function work(): Promise<void> {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index] as Item;
      try {
        await run(item);
      } catch (cause) {
        causes.set(index, cause);
      }
      done += 1;
      onDone?.(done);
    }
  }

  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return items.flatMap((item, index) =>
    causes.has(index) ? [{ item, cause: causes.get(index) }] : [],
  );
}
