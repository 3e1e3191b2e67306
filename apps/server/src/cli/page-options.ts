import { optionParser } from "./cli.ts";
import { parseWhole } from "./parse-input.ts";

const PAGE_LIMIT_MAX = 100;

export const LIMIT_OPTION = {
  flags: "--limit <count>",
  text: `how many at most, up to ${String(PAGE_LIMIT_MAX)}`,
  value: 50,
} as const;

export const CURSOR_OPTION = {
  flags: "--cursor <cursor>",
  text: "go on from here; the page before says where",
} as const;

export const limitParser = optionParser((text) =>
  parseWhole(text, { min: 1, max: PAGE_LIMIT_MAX }),
);

/** A table, and how to see the rest when there is more. */
export function toPageText<Item>(
  page: { items: readonly Item[]; nextCursor: string | null },
  toText: (items: readonly Item[]) => string,
): string {
  const table = toText(page.items);
  return page.nextCursor === null ? table : `${table}\nMore: --cursor ${page.nextCursor}`;
}
