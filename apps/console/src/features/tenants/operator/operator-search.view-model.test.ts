import { describe, expect, it } from "vitest";
import { findFormerTab, parseOperatorSearch } from "./operator-search.view-model.ts";

describe("parseOperatorSearch", () => {
  it("keeps what the screens understand and drops the rest without failing", () => {
    expect(
      parseOperatorSearch({ tab: "all", q: "acme", cursor: "ten_1", mail: "mail_1", other: 1 }),
    ).toEqual({ q: "acme", cursor: "ten_1", mail: "mail_1" });
    expect(parseOperatorSearch({ q: {}, cursor: "x".repeat(201), mail: "" })).toEqual({});
  });

  it("keeps a known plan, state and order of tenants, and no others", () => {
    const known = { plan: "pro", standing: "overdue", sort: "revenue" };
    expect(parseOperatorSearch(known)).toEqual(known);
    expect(parseOperatorSearch({ plan: "", standing: "rich", sort: "name" })).toEqual({});
  });

  it("accepts a search for digits, which the router parses as a number", () => {
    expect(parseOperatorSearch({ q: 404 })).toEqual({ q: "404" });
  });
});

describe("findFormerTab", () => {
  it("knows the tabs that were under Tenants, and no others", () => {
    expect(findFormerTab("all")).toBe("/operator/tenants");
    expect(findFormerTab("outbox")).toBe("/operator/outbox");
    expect(findFormerTab("members")).toBe(undefined);
    expect(findFormerTab("constructor")).toBe(undefined);
    expect(findFormerTab(7)).toBe(undefined);
  });
});
