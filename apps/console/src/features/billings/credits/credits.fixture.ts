import { creditGrant, credits } from "@turnpike/contract/credits";
import { TENANT_ID } from "#components/billing/billing-answers.fixture.ts";
import type { CreditGrant, Credits } from "./credits.queries.ts";

export function makeCreditGrant(part: Partial<CreditGrant> = {}): CreditGrant {
  return creditGrant.parse({
    grantId: "cgr_0199f3b0c1d27a4e8f60112233445566",
    kind: "promotional",
    state: "usable",
    isBought: false,
    granted: "25.00",
    left: "10.00",
    priority: 50,
    grantedAt: "2026-11-01T00:00:00.000Z",
    effectiveAt: "2026-11-01T00:00:00.000Z",
    expiresAt: null,
    reason: "Welcome.",
    invoiceId: null,
    invoiceNumber: null,
    ...part,
  });
}

/** The credit of a tenant that has none, where none is sold. */
export function makeCredits(part: Partial<Credits> = {}): Credits {
  return credits.parse({
    tenantId: TENANT_ID,
    environment: "live",
    currency: "USD",
    promotional: "0.00",
    prepaid: "0.00",
    nextExpiry: null,
    draw: null,
    alerts: { shares: [50, 20, 10, 0], below: null },
    grants: [],
    topUps: null,
    automatic: null,
    ...part,
  });
}
