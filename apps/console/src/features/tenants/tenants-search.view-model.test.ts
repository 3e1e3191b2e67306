import { describe, expect, it } from "vitest";
import {
  chooseTab,
  listTabs,
  parseTenantsSearch,
  toTabSearch,
} from "./tenants-search.view-model.ts";

describe("parseTenantsSearch", () => {
  it("keeps what the page understands and drops the rest without failing", () => {
    expect(
      parseTenantsSearch({ tab: "all", q: "acme", cursor: "ten_1", mail: "mail_1", other: 1 }),
    ).toEqual({ tab: "all", q: "acme", cursor: "ten_1", mail: "mail_1" });
    expect(parseTenantsSearch({ tab: "nope", q: {}, cursor: "x".repeat(201), mail: "" })).toEqual(
      {},
    );
  });

  it("accepts a search for digits, which the router parses as a number", () => {
    expect(parseTenantsSearch({ q: 404 })).toEqual({ q: "404" });
  });

  it("leaves the first tab out", () => {
    expect(parseTenantsSearch({ tab: "yours" })).toEqual({});
    expect(toTabSearch("yours")).toEqual({});
    expect(toTabSearch("members")).toEqual({ tab: "members" });
  });
});

describe("chooseTab", () => {
  it("opens an operator’s tab for operators only", () => {
    expect(chooseTab({ tab: "outbox" }, true)).toBe("outbox");
    expect(chooseTab({ tab: "outbox" }, false)).toBe("yours");
    expect(chooseTab({}, true)).toBe("yours");
    expect(listTabs(false)).toEqual([
      "yours",
      "settings",
      "members",
      "sso",
      "webhooks",
      "agents",
      "audit",
    ]);
  });
});
