import { catalogInput } from "@turnpike/contract/catalog";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { expect } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";
import type { BillingDeps } from "../../billing-deps.ts";
import { getInvoice } from "../../invoices/get-invoice.ts";
import { listInvoices } from "../../invoices/list-invoices.ts";
import { reconcileInvoices } from "../../invoices/reconcile-invoices.ts";
import { act, toBillingDeps } from "../../testing/billing.fixture.ts";
import { putPaymentMethod } from "../manage-method.ts";
import { createStripeProvider } from "../stripe/stripe-provider.ts";
import { makeMethod } from "../stripe/testing/stand-in-payments.fixture.ts";
import { openStripeStandIn } from "../stripe/testing/stripe-stand-in.fixture.ts";

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** A plan with one price a year, in advance. */
const toPlan = (planId: string, currency: string, amount: string) => ({
  planId,
  name: planId,
  currency,
  phases: [
    {
      rateCards: [
        {
          key: "base",
          price: { model: "flat", amount },
          interval: { year: 1 },
          timing: "advance",
        },
      ],
    },
  ],
});

const catalog = catalogInput.parse({
  meters: [],
  plans: [
    toPlan("yearly", "USD", "300"),
    // Stripe charges dinars of Kuwait but for the last digit, and none of Libya.
    toPlan("kuwait", "KWD", "90.125"),
    toPlan("libya", "LYD", "90"),
  ],
});

/** Billing on a database of the test's own, with the real adapter of Stripe on a stand-in of its API. */
export async function openPayments() {
  const database = await createTestDatabase();
  const services = createTestServices(database);
  const now = () => services.clock.now().getTime();
  const standIn = await openStripeStandIn({ mode: "live", now });
  const provider = createStripeProvider({
    environment: "live",
    key: "rk_live_0123456789abcdef",
    webhookSecrets: ["whsec_test"],
    instance: "turnpike",
    apiUrl: standIn.url,
  });
  const deps: TestServices & BillingDeps = {
    ...toBillingDeps(services),
    payments: { live: provider, test: undefined },
  };
  await createTestTenant(services);
  await applyCatalog(services, OPERATOR_CONTEXT, catalog);

  let setUps = 0;
  /** Puts one of Stripe's test cards in force. */
  async function putCard(tenantId: TenantId, card: string): Promise<void> {
    setUps += 1;
    const { customerRef } = await provider.setupMethod(
      { tenantId, environment: "live", name: "Acme", email: null, customerRef: undefined },
      { returnUrl: "https://app.test", cancelUrl: "https://app.test", currency: "USD" },
    );
    const { id } = makeMethod(standIn.state, card, customerRef);
    await putPaymentMethod(deps, {
      tenantId,
      environment: "live",
      provider: "stripe",
      // Each is newer than the last one, also while the clock is at one instant.
      setUpAtMs: now() + setUps,
      method: {
        customerRef,
        methodRef: id,
        type: "card",
        brand: "visa",
        last4: "4242",
        expiresMonth: 12,
        expiresYear: 2040,
      },
    });
  }

  /** A tenant on a plan, left out: for 300.00 a year, with its first invoice. */
  async function subscribe(
    name: string,
    { card, planId = "yearly" }: { card?: string; planId?: string } = {},
  ) {
    const { tenantId, context } = await createTestTenant(services, name);
    if (card !== undefined) {
      await putCard(tenantId, card);
    }
    await act(deps, { tenantId }, { do: "subscribe", planId });
    const page = await listInvoices(deps, OPERATOR_CONTEXT, {
      tenantId,
      environment: "live",
      limit: 1,
    });
    const { invoiceId, number } = page.items[0] ?? expect.fail("no invoice");
    return { tenantId, context, invoiceId, number };
  }

  return {
    database,
    services,
    standIn,
    provider,
    deps,
    putCard,
    subscribe,
    read: (of: { tenantId: TenantId; invoiceId: string }) => getInvoice(deps, OPERATOR_CONTEXT, of),
    /** What Stripe was asked to charge, and what it has of it. */
    charges: (tenantId: TenantId) =>
      [...standIn.state.intents.values()]
        .filter(({ metadata }) => metadata["tenant"] === tenantId)
        .map(({ amount, status }) => ({ amount: Number(amount), status })),
    findings: async () => (await reconcileInvoices(deps, OPERATOR_CONTEXT)).findings,
    close: async () => {
      await standIn.close();
      await database.close();
    },
  };
}

export type Payments = Awaited<ReturnType<typeof openPayments>>;
