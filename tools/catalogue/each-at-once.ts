/**
 * Does a piece of work for each item, begun in their order.
 *
 * @param input.atOnce - How many are worked on at a time, 1 or more.
 * @throws What the first piece of work throws that fails; no other is begun after it.
 */
export async function eachAtOnce<Item>(
  items: readonly Item[],
  { atOnce, work }: { atOnce: number; work: (item: Item) => Promise<void> },
): Promise<void> {
  const rest = items.values();
  let hasFailed = false;
  const takeTurns = async () => {
    for (const item of rest) {
      if (hasFailed) {
        return;
      }
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
}
