export type BarRow<Item> = {
  item: Item;
  /** Of the total, 0 to 1; 0 when the total is 0. */
  share: number;
  /** Of the longest bar, 0 to 100. */
  widthPercent: number;
};

/** What is not 0 is seen, in percent of the longest bar. */
const WIDTH_MIN_PERCENT = 0.5;

/** Lays out horizontal bars from 0, the longest over the whole width, in the given order. */
export function toBarRows<Item extends { value: number }>(
  items: readonly Item[],
  total: number,
): BarRow<Item>[] {
  const longest = Math.max(0, ...items.map((item) => item.value));
  return items.map((item) => ({
    item,
    share: total <= 0 ? 0 : item.value / total,
    widthPercent:
      item.value <= 0 || longest === 0
        ? 0
        : Math.max(WIDTH_MIN_PERCENT, (item.value / longest) * 100),
  }));
}
