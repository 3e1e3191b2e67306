import { randomUUID } from "node:crypto";
import { catalogInput } from "@turnpike/contract/catalog";
import type { SubscriptionAction } from "@turnpike/contract/subscriptions";
import { DUNNING_DEFAULT } from "@turnpike/domain/billing/payments/dunning";
import { type KeyId, type TenantId, toId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { CallMethod } from "@turnpike/domain/metering/call-method";
import { periodAt, startOfMonth } from "@turnpike/domain/time/period";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { applyCatalog } from "#modules/catalog/index.ts";
import { commitGroups } from "#modules/metering/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { BillingDeps } from "../billing-deps.ts";
import type { BillingSettings } from "../billing-settings.ts";
import { confirmAction } from "../subscriptions/confirm-action.ts";
import { quoteAction } from "../subscriptions/quote-action.ts";

export const TEST_BILLING: BillingSettings = {
  seller: {
    name: "Example Ltd",
    lines: ["1 High Street"],
    country: "GB",
    taxId: null,
    email: null,
  },
  tax: undefined,
  proration: "time",
  paymentDays: 14,
  dunning: DUNNING_DEFAULT,
  invoicePrefix: "INV",
  creditNotePrefix: "CN",
  documents: { language: "en", logo: null, font: null },
};

/** A plan of each kind that tests of billing need, besides the sample's. */
const PRICED = catalogInput.parse({
  meters: [],
  plans: [
    {
      planId: "metered",
      name: "Metered",
      currency: "USD",
      phases: [
        {
          rateCards: [
            {
              key: "base",
              name: "Base fee",
              price: { model: "flat", amount: "31" },
              interval: { month: 1 },
              timing: "advance",
            },
            {
              key: "requests",
              meter: "requests",
              interval: { month: 1 },
              timing: "arrears",
              price: {
                model: "graduated",
                tiers: [
                  { upTo: "100", unitAmount: "0" },
                  { upTo: null, unitAmount: "0.01" },
                ],
              },
            },
          ],
        },
      ],
    },
    {
      planId: "limited",
      name: "Limited",
      currency: "USD",
      phases: [
        {
          rateCards: [
            {
              key: "requests",
              meter: "requests",
              interval: { month: 1 },
              timing: "arrears",
              price: { model: "per_unit", unitAmount: "0.015" },
              entitlement: { kind: "hard", limit: "100" },
            },
          ],
        },
      ],
    },
    {
      planId: "trial",
      name: "Trial",
      currency: "USD",
      phases: [
        { duration: { days: 14 }, rateCards: [] },
        {
          rateCards: [
            {
              key: "base",
              price: { model: "flat", amount: "20" },
              interval: { month: 1 },
              timing: "advance",
            },
          ],
        },
      ],
    },
  ],
});

export function toBillingDeps(services: TestServices): TestServices & BillingDeps {
  return { ...services, billing: TEST_BILLING };
}

/**
 * Publishes the plans `metered` (31.00 in advance, 0.01 a request after 100), `limited` (0.015 a request, 100 a month at most) and
 * `trial` (14 days, then 20.00).
 */
export async function publishPricedPlans(services: TestServices): Promise<void> {
  await applyCatalog(services, OPERATOR_CONTEXT, PRICED);
}

/** What most tests of billing begin with: an empty database with the plan of the sample and the priced ones. */
export async function openPricedBilling(): Promise<{
  database: TestDatabase;
  services: TestServices;
  deps: TestServices & BillingDeps;
}> {
  const database = await createTestDatabase();
  const services = createTestServices(database);
  await createTestTenant(services);
  await publishPricedPlans(services);
  return { database, services, deps: toBillingDeps(services) };
}

/** Quotes and confirms at once, as the operator. */
export async function act(
  deps: BillingDeps,
  key: { tenantId: TenantId; environment?: Environment },
  action: SubscriptionAction,
) {
  const input = { environment: "live" as const, ...key, action };
  const { at, hash } = await quoteAction(deps, OPERATOR_CONTEXT, input);
  return await confirmAction(deps, OPERATOR_CONTEXT, { ...input, at, hash });
}

/** Writes usage to the ledger as calls through the gateway do. */
export async function recordUsage(
  services: AppServices,
  {
    tenantId,
    environment = "live",
    at,
    quantity,
    keyId = toId("key", randomUUID()),
    meterId = "requests",
    ...of
  }: {
    tenantId: TenantId;
    environment?: Environment;
    at: Date;
    quantity: number;
    keyId?: KeyId;
    meterId?: string;
    method?: CallMethod;
    route?: string;
    model?: string;
  },
): Promise<void> {
  const { start, end } = periodAt(startOfMonth(at), "month", at);
  await commitGroups(services, [
    {
      groupId: toId("group", randomUUID()),
      processId: toId("process", randomUUID()),
      recordedAtMs: null,
      spends: [],
      entries: [
        {
          tenantId,
          keyId,
          environment,
          meterId,
          outcome: "VALID",
          status: 200,
          minuteMs: Math.floor(at.getTime() / 60_000) * 60_000,
          periodStartMs: start.getTime(),
          periodEndMs: end.getTime(),
          calls: quantity,
          quantity,
          ...of,
        },
      ],
    },
  ]);
}
