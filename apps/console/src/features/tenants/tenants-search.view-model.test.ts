import { describe, expect, it } from "vitest";
import { chooseTab, parseTenantsSearch, toTabSearch } from "./tenants-search.view-model.ts";

describe("parseTenantsSearch", () => {
  it("keeps what the page understands and drops the rest without failing", () => {
    expect(
      parseTenantsSearch({ tab: "webhooks", webhook: "whk_1", cursor: "ten_1", other: 1 }),
    ).toEqual({ tab: "webhooks", webhook: "whk_1", cursor: "ten_1" });
    expect(parseTenantsSearch({ tab: "nope", cursor: "x".repeat(201), delivery: "" })).toEqual({});
  });

  it("accepts digits, which the router parses as a number", () => {
    expect(parseTenantsSearch({ webhook: 404 })).toEqual({ webhook: "404" });
  });

  it("leaves the first tab out", () => {
    expect(parseTenantsSearch({ tab: "yours" })).toEqual({});
    expect(toTabSearch("yours")).toEqual({});
    expect(toTabSearch("members")).toEqual({ tab: "members" });
    expect(chooseTab({})).toBe("yours");
    expect(chooseTab({ tab: "audit" })).toBe("audit");
  });
});
