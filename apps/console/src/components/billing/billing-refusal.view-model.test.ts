import { describe, expect, it } from "vitest";
import { findBillingRefusal } from "./billing-refusal.view-model.ts";

describe("findBillingRefusal", () => {
  it("lets owners, admins and billing members change billing", () => {
    for (const role of ["owner", "admin", "billing"] as const) {
      expect(findBillingRefusal({ role }, "change the plan")).toBe(undefined);
    }
  });

  it("tells others, and a visiting operator, who can", () => {
    expect(findBillingRefusal({ role: "developer" }, "change the plan")).toBe(
      "Your role, developer, cannot change the plan: ask an owner, an admin or a billing member.",
    );
    expect(findBillingRefusal({ role: "owner", isVisited: true }, "change the plan")).toContain(
      "read-only",
    );
  });
});
