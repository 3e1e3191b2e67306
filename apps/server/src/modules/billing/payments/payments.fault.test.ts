import { formatMinor } from "@turnpike/domain/money/currency";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BillingDeps } from "../billing-deps.ts";
import { closeDue } from "../closing/close-due.ts";
import { addAdjustment } from "../invoices/add-adjustment.ts";
import { createCreditNote } from "../invoices/create-credit-note.ts";
import { recordPayment } from "../invoices/record-payment.ts";
import { voidInvoice } from "../invoices/void-invoice.ts";
import { countPoints, Interrupted } from "../testing/interrupt.fixture.ts";
import { applyProviderObject } from "./apply-provider-object.ts";
import { collectDue } from "./collect-due.ts";
import { createRefund } from "./create-refund.ts";
import { listPayments } from "./list-payments.ts";
import { payInvoice } from "./pay-invoice.ts";
import { sendDueRefunds } from "./send-refund.ts";
import { closeDispute, openDispute } from "./stripe/testing/stand-in-payments.fixture.ts";
import { MINUTE_MS, openPayments, type Payments } from "./testing/payments.fixture.ts";

const RUNS = IS_SOAK ? 200 : 4;
const USD = { code: "USD", digits: 2 };

let payments: Payments;
beforeAll(async () => {
  payments = await openPayments();
});
afterAll(() => payments.close());

const cents = fc.integer({ min: 1, max: 40_000 });
const action = fc.oneof(
  fc.record({ do: fc.constant("collect" as const) }),
  fc.record({ do: fc.constant("pay" as const) }),
  fc.record({
    do: fc.constant("card" as const),
    card: fc.constantFrom(
      "pm_card_visa",
      "pm_card_authenticationRequired",
      "pm_card_visa_chargeDeclinedInsufficientFunds",
    ),
  }),
  fc.record({ do: fc.constant("wire" as const), cents, reference: fc.constantFrom("a", "b", "c") }),
  fc.record({ do: fc.constant("refund" as const), cents, withCreditNote: fc.boolean() }),
  fc.record({ do: fc.constant("credit" as const), cents }),
  // Invoices that the balance pays, and banks that take back what it was paid with.
  fc.record({ do: fc.constant("charge" as const), cents }),
  fc.record({ do: fc.constant("dispute" as const), part: fc.integer({ min: 1, max: 20_000 }) }),
  fc.record({ do: fc.constant("decide" as const), isWon: fc.boolean() }),
  fc.record({ do: fc.constant("void" as const) }),
  fc.record({ do: fc.constant("wait" as const), minutes: fc.integer({ min: 1, max: 5_000 }) }),
  fc.record({
    do: fc.constant("lose" as const),
    fault: fc.constantFrom("resets" as const, "resetsAfter" as const, "failsAfter" as const),
  }),
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;
/** After how many statements the process ends, of those that are killed. */
const step = fc.record({ action, killAfter: fc.option(fc.nat({ max: 40 }), { freq: 2 }) });

type Payer = Awaited<ReturnType<Payments["subscribe"]>>;

async function perform(deps: BillingDeps, acme: Payer, asked: Action): Promise<void> {
  const { tenantId, invoiceId } = acme;
  const toText = (amount: number) => formatMinor(BigInt(amount), USD);
  switch (asked.do) {
    case "collect":
      await closeDue(deps);
      await sendDueRefunds(deps);
      await collectDue(deps);
      return;
    case "pay": {
      const input = { tenantId, invoiceId, returnUrl: "https://app.test" };
      await payInvoice(deps, OPERATOR_CONTEXT, input);
      return;
    }
    case "card":
      await payments.putCard(tenantId, asked.card);
      return;
    case "wire": {
      const { reference } = asked;
      const amount = toText(asked.cents);
      await recordPayment(deps, OPERATOR_CONTEXT, { invoiceId, amount, reference });
      return;
    }
    case "refund": {
      const of = { environment: "live" as const, tenantId, limit: 1 };
      const [newest] = (await listPayments(deps, OPERATOR_CONTEXT, of)).items;
      await createRefund(deps, OPERATOR_CONTEXT, {
        paymentId: newest?.paymentId ?? "",
        amount: toText(asked.cents),
        withCreditNote: asked.withCreditNote,
        reason: "Agreed.",
      });
      return;
    }
    case "credit":
      await createCreditNote(deps, OPERATOR_CONTEXT, {
        invoiceId,
        amount: toText(asked.cents),
        reason: "Agreed.",
      });
      return;
    case "charge":
      await addAdjustment(deps, OPERATOR_CONTEXT, {
        ...{ tenantId, environment: "live", amount: toText(asked.cents), when: "now" },
        ...{ description: "Training", taxClass: "standard", reason: "Agreed." },
      });
      return;
    case "dispute": {
      const paid = intentsOf(acme).find(({ status }) => status === "succeeded");
      openDispute(payments.standIn.state, paid?.id ?? "", asked.part);
      await learn(deps, acme);
      return;
    }
    case "decide": {
      const { disputes } = payments.standIn.state;
      const open = [...disputes.values()].find(({ status }) => status === "needs_response");
      closeDispute(payments.standIn.state, open?.id ?? "", asked.isWon ? "won" : "lost");
      await learn(deps, acme);
      return;
    }
    case "void":
      await voidInvoice(deps, OPERATOR_CONTEXT, { invoiceId, reason: "Agreed." });
      return;
    case "wait":
      payments.services.clock.advance(asked.minutes * MINUTE_MS);
      return;
    case "lose":
      payments.standIn.fail(/POST \/v1\/(payment_intents|refunds) /, asked.fault, asked.fault);
      return;
  }
}

function intentsOf({ tenantId }: Payer) {
  const { intents } = payments.standIn.state;
  return [...intents.values()].filter(({ metadata }) => metadata["tenant"] === tenantId);
}

/** Looks at the payments at Stripe, as their events have it done. */
async function learn(deps: BillingDeps, acme: Payer): Promise<void> {
  for (const { id } of intentsOf(acme)) {
    const object = await payments.provider.notices.fetch({ type: "any", objectRef: id });
    await applyProviderObject(deps, { provider: "stripe", object });
  }
}

/** Does something in a process that ends after some statements: at once, and for good. */
async function performAndDie(acme: Payer, asked: Action, killAfter: number | null): Promise<void> {
  const { transact } = countPoints(payments.database.sql, (count) => {
    if (killAfter !== null && count > killAfter) {
      throw new Interrupted();
    }
  });
  // What is refused is refused, and what is killed is killed: what follows must hold all the same.
  await perform({ ...payments.deps, transact }, acme, asked).catch(() => undefined);
}

/** What Stripe has taken and given back, and what we have of it. */
async function compareWithStripe(acme: Payer) {
  const { tenantId } = acme;
  const { state } = payments.standIn;
  const intents = intentsOf(acme).filter(({ status }) => status === "succeeded");
  const ids = new Set(intents.map(({ id }) => id));
  const refunds = [...state.refunds.values(), ...state.disputes.values()].filter(
    ({ payment_intent, status }) => ids.has(payment_intent) && status !== "won",
  );
  const sum = (rows: readonly { amount: number }[]) =>
    rows.reduce((total, { amount }) => total + amount, 0);
  const [ours] = await payments.database.sql<
    [{ received: number; refunded: number; open: number }]
  >`
    select coalesce(sum(r.amount), 0)::float8 as received,
      coalesce(sum((select sum(f.amount) from payment_refunds f
        where f.payment_id = r.payment_id and f.state = 'succeeded')), 0)::float8 as refunded,
      (select count(*) from payment_attempts a where a.tenant_id = ${tenantId} and a.state = 'unknown')::float8 as open
    from received_payments r where r.tenant_id = ${tenantId} and r.provider = 'stripe'`;
  return {
    stripe: { received: sum(intents), refunded: sum(refunds) },
    ours: { received: ours.received, refunded: ours.refunded },
    unknown: ours.open,
  };
}

describe("guarantee: money received is applied, balance or refunded", () => {
  it("in any order of payments, refunds and lost answers, with kills between any two statements", async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        runs += 1;
        const acme = await payments.subscribe(`Random ${String(runs)}`, { card: "pm_card_visa" });
        for (const { action: asked, killAfter } of steps) {
          await performAndDie(acme, asked, killAfter);
          expect(await payments.findings()).toEqual([]);
        }
        // Once all is quiet, what was under way is known.
        payments.standIn.forgetFaults();
        for (const minutes of [1, 5, 61, 400, 400]) {
          payments.services.clock.advance(minutes * MINUTE_MS);
          await sendDueRefunds(payments.deps);
          await collectDue(payments.deps);
          await learn(payments.deps, acme);
        }
        expect(await payments.findings()).toEqual([]);
        const { stripe, ours, unknown } = await compareWithStripe(acme);
        expect({ ...ours, unknown }).toEqual({ ...stripe, unknown: 0 });
      }),
      { numRuns: RUNS },
    );
  });

  it("no invoice is charged twice, wherever the process that collects is killed", async () => {
    const points: number[] = [];
    for (let killAfter = 0; killAfter < 200; killAfter += IS_SOAK ? 1 : 3) {
      const acme = await payments.subscribe(`Killed ${String(killAfter)}`, {
        card: "pm_card_visa",
      });
      await performAndDie(acme, { do: "collect" }, killAfter);
      const isWhole = (await payments.read(acme)).state === "paid";
      for (const minutes of [3, 61, 61]) {
        payments.services.clock.advance(minutes * MINUTE_MS);
        await collectDue(payments.deps);
      }
      expect(payments.charges(acme.tenantId)).toEqual([{ amount: 30_000, status: "succeeded" }]);
      expect((await payments.read(acme)).paid).toBe("300.00");
      points.push(killAfter);
      if (isWhole) {
        break;
      }
    }
    expect(points.length).toBeGreaterThan(3);
    expect(await payments.findings()).toEqual([]);
  });
});
