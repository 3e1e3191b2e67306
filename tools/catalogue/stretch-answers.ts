import type { Page, Response, Route } from "playwright-core";
import type { Asked } from "./answers.ts";

/** As many rows as each stretched list has. */
const ROWS = 10_000;
/** What the API gives on a page unless it is asked for another number. */
const LIMIT_DEFAULT = 50;
const CURSOR = /^row-(\d+)$/;

type Item = Readonly<Record<string, unknown>>;
type List = { items: readonly Item[]; nextCursor: string | null };

function isList(value: unknown): value is List {
  return (
    typeof value === "object" &&
    value !== null &&
    "nextCursor" in value &&
    "items" in value &&
    Array.isArray(value.items)
  );
}

/** The field that tells the items apart: the first id that no two of them share. */
function findOwnId(items: readonly Item[]): string | undefined {
  return Object.keys(items[0] ?? {}).find(
    (name) =>
      /Id$/.test(name) &&
      items.every((item) => typeof item[name] === "string") &&
      new Set(items.map((item) => item[name])).size === items.length,
  );
}

/**
 * Makes a page of a list of 10,000 rows out of a real page: its items again and again, each with an id of its own.
 *
 * @param answer - With at least one item.
 * @param asked.cursor - Null for the first page.
 * @param asked.limit - Null for the API's own.
 */
export function stretchList(
  answer: List,
  asked: { cursor: string | null; limit: string | null },
): List {
  const from = Number(CURSOR.exec(asked.cursor ?? "")?.[1] ?? 0);
  const to = Math.min(from + Number(asked.limit ?? LIMIT_DEFAULT), ROWS);
  const ownId = findOwnId(answer.items);
  const items = Array.from({ length: Math.max(0, to - from) }, (_, place): Item => {
    const row = from + place;
    const item = answer.items[row % answer.items.length] ?? {};
    return ownId === undefined
      ? item
      : { ...item, [ownId]: `${String(item[ownId]).slice(0, -8)}${String(row).padStart(8, "0")}` };
  });
  return { ...answer, items, nextCursor: to < ROWS ? `row-${String(to)}` : null };
}

/** Notes the paths of the lists with at least one row that the page asks for, until `stop` is called. */
export function noteLists(page: Page): { stop(): Promise<Asked> } {
  const lists = new Set<string>();
  const reading: Promise<void>[] = [];
  const note = (response: Response) => {
    const { pathname } = new URL(response.url());
    const isJson = response.headers()["content-type"]?.startsWith("application/json") === true;
    if (pathname.startsWith("/v1/") && response.request().method() === "GET" && isJson) {
      const read = response.json().then(
        (body: unknown) => {
          if (isList(body) && body.items.length > 0) {
            lists.add(pathname);
          }
        },
        // A page that was left takes the bodies of its answers with it.
        () => undefined,
      );
      reading.push(read);
    }
  };
  page.on("response", note);
  return {
    stop: async () => {
      page.off("response", note);
      await Promise.all(reading);
      return lists;
    },
  };
}

/** Gives the lists of a page 10,000 rows, in pages as large as they are asked for. */
export async function stretchAnswers(page: Page, paths: Asked): Promise<void> {
  const concerns = (url: URL) => paths.has(url.pathname);
  const answer = async (route: Route) => {
    const url = new URL(route.request().url());
    const asked = { cursor: url.searchParams.get("cursor"), limit: url.searchParams.get("limit") };
    if (asked.cursor !== null && CURSOR.test(asked.cursor)) {
      url.searchParams.delete("cursor");
    }
    const response = await route.fetch({ url: url.href });
    const body: unknown = response.ok() ? await response.json() : undefined;
    await (isList(body) && body.items.length > 0
      ? route.fulfill({ response, json: stretchList(body, asked) })
      : route.fulfill({ response }));
  };
  await page.route(concerns, answer);
}
