import { describe, expect, it } from "vitest";
import { findTenantRefusal } from "./find-tenant-refusal.ts";
import { STANDINGS } from "./standing.ts";

describe("findTenantRefusal", () => {
  it.each([
    ["current", undefined],
    ["out_of_credit", undefined],
    ["overdue", undefined],
    ["grace", undefined],
    ["blocked", "PAYMENT_REQUIRED"],
    ["capped", "SPEND_CAP_REACHED"],
  ] as const)("%s gives %s", (standing, code) => {
    expect(findTenantRefusal({ suspended: false, standing })).toBe(code);
  });

  it.each(STANDINGS)("a suspension comes before %s", (standing) => {
    expect(findTenantRefusal({ suspended: true, standing })).toBe("TENANT_SUSPENDED");
  });
});
