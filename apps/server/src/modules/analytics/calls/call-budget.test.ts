import type { TenantId } from "@turnpike/domain/ids/ids";
import { describe, expect, it } from "vitest";
import { CallBudget, KEPT_A_MINUTE } from "./call-budget.ts";

const tenant = (n: number) => `ten_${String(n).padStart(32, "0")}` as TenantId;
const answered = { outcome: "VALID", status: 200 } as const;

function take(budget: CallBudget, tenantId: TenantId, count: number, minuteMs = 0): number {
  const tried = Array.from({ length: count });
  return tried.filter(() => budget.take({ tenantId, ...answered }, minuteMs)).length;
}

describe("calls that are kept in a minute", () => {
  it("are bounded for a tenant and for all of them, and begin anew in the next one", () => {
    const budget = new CallBudget();
    expect(take(budget, tenant(0), 2_000)).toBe(KEPT_A_MINUTE.ofTenant);
    const others = Array.from({ length: 20 }, (_, n) => take(budget, tenant(n + 1), 1_000));
    expect(others.reduce((sum, count) => sum + count, KEPT_A_MINUTE.ofTenant)).toBe(
      KEPT_A_MINUTE.ofAll,
    );
    expect(take(budget, tenant(0), 2_000, 60_000)).toBe(KEPT_A_MINUTE.ofTenant);
  });

  it("leave room to those that failed or were refused", () => {
    const budget = new CallBudget();
    take(budget, tenant(0), 2_000);
    for (const failed of [
      { outcome: "VALID", status: 500 },
      { outcome: "RATE_LIMITED", status: 429 },
      { outcome: "UPSTREAM_TIMEOUT", status: 504 },
    ] as const) {
      expect(budget.take({ tenantId: tenant(0), ...failed }, 0), failed.outcome).toBe(true);
    }
    expect(budget.take({ tenantId: tenant(0), outcome: "VALID", status: 404 }, 0)).toBe(false);
  });
});
