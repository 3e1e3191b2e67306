import { expect, it } from "vitest";
import { stretchList } from "./stretch-answers.ts";

const LIST = {
  items: [
    { tenantId: "ten_1", mailId: "mail_0000000000000001", subject: "One" },
    { tenantId: "ten_1", mailId: "mail_0000000000000002", subject: "Two" },
  ],
  nextCursor: null,
};

it("stretches a page to 10,000 rows, each with an id of its own, page by page", () => {
  const ids = new Set<unknown>();
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page: ReturnType<typeof stretchList> = stretchList(LIST, { cursor, limit: "100" });
    expect(page.items).toHaveLength(100);
    expect(page.items[1]).toMatchObject({ tenantId: "ten_1", subject: "Two" });
    for (const item of page.items) {
      ids.add(item["mailId"]);
    }
    pages += 1;
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect({ pages, ids: ids.size }).toEqual({ pages: 100, ids: 10_000 });
  expect(stretchList(LIST, { cursor: null, limit: null }).items).toHaveLength(50);
});
