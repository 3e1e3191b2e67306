import { describe, expect, it } from "vitest";
import { parseAuditFilter, toQuestion } from "./audit-filter.view-model.ts";

describe("the filter of an audit log", () => {
  it("keeps what it understands of an address, and drops what the API would refuse", () => {
    const whole = {
      ...{ q: "ada", actor: "usr_1", action: "member", entity: "key_1" },
      ...{ from: "2026-11-01", to: "2026-11-02" },
    };
    expect(parseAuditFilter({ ...whole, tab: "audit", cursor: "x" })).toEqual(whole);
    expect(parseAuditFilter({ q: 404 })).toEqual({ q: "404" });
    const bad = {
      q: "x".repeat(101),
      actor: "",
      action: "Member; drop",
      from: "1.11.",
      to: "2026-13-01",
    };
    expect(parseAuditFilter(bad)).toEqual({});
  });

  it("asks for whole days of the reader, and for kinds of programs by their type", () => {
    const { from, to } = toQuestion({ from: "2026-11-01", to: "2026-11-01" });
    const hours = (Date.parse(to ?? "") - Date.parse(from ?? "")) / 3_600_000;
    expect(hours).toBe(24);
    expect(new Date(from ?? "").getHours()).toBe(0);
    expect(toQuestion({ actor: "key" })).toEqual({ actorType: "key" });
    expect(toQuestion({ actor: "usr_1", q: "a" })).toEqual({ actorId: "usr_1", search: "a" });
    expect(toQuestion({ from: "2026-11-02", to: "2026-11-01" })).not.toHaveProperty("to");
  });
});
