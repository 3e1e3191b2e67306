import { describe, expect, it } from "vitest";
import { parseBillingsSearch, withoutLine } from "./billings-search.view-model.ts";

describe("the address of /billings", () => {
  it("keeps what it understands", () => {
    const search = { line: 3, by: "key", key: "key_1", day: "2026-11-26" } as const;
    expect(parseBillingsSearch({ ...search, invoice: "inv_1", other: 1 })).toEqual({
      ...search,
      invoice: "inv_1",
    });
    expect(parseBillingsSearch({ state: "paid", cursor: 17 })).toEqual({
      state: "paid",
      cursor: "17",
    });
  });

  it("drops what cannot be, and filters of no line", () => {
    expect(parseBillingsSearch({ line: 0, by: "key", key: "key_1" })).toEqual({});
    expect(parseBillingsSearch({ line: "2", by: "hour", day: "today" })).toEqual({ line: 2 });
    expect(parseBillingsSearch({ state: "lost", cursor: ["1"], invoice: "" })).toEqual({});
  });

  it("closes a line and stays where it is", () => {
    expect(withoutLine({ invoice: "inv_1", line: 2, by: "day", cursor: "c" })).toEqual({
      invoice: "inv_1",
      cursor: "c",
    });
  });
});
