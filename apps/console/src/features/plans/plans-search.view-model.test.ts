import { describe, expect, it } from "vitest";
import { choosePlansTab, parsePlansSearch } from "./plans-search.view-model.ts";

describe("the address of /plans", () => {
  it("keeps what it understands, and leaves the default out", () => {
    expect(parsePlansSearch({ tab: "meters", meter: "tokens", other: 1 })).toEqual({
      tab: "meters",
      meter: "tokens",
    });
    expect(parsePlansSearch({ tab: "plans" })).toEqual({});
    expect(parsePlansSearch({ tab: "secrets", meter: "", cursor: 17 })).toEqual({ cursor: "17" });
    expect(parsePlansSearch({ meter: "x".repeat(101), cursor: ["1"] })).toEqual({});
  });

  it("opens the operator's tabs for operators only", () => {
    expect(choosePlansTab({ tab: "meters" }, true)).toBe("meters");
    expect(choosePlansTab({ tab: "meters" }, false)).toBe("plans");
    expect(choosePlansTab({}, true)).toBe("plans");
    const unknown: object = { tab: "no-such-tab" };
    expect(choosePlansTab(unknown, true)).toBe("plans");
  });
});
