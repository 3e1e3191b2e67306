import { toId } from "@turnpike/domain/ids/ids";
import type { SpendCap } from "./spend-cap.queries.ts";

export function makeSpendCap(of: Partial<SpendCap> = {}): SpendCap {
  return {
    tenantId: toId("tenant", "019f2e3a-0000-7000-8000-000000000001"),
    currency: "EUR",
    cap: null,
    tenantCap: null,
    operatorCap: null,
    shares: [50, 80, 100],
    period: null,
    updatedAt: null,
    ...of,
  };
}
