import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createBelow } from "@turnpike/testkit/seeded-chance";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readBody } from "#http/raw-route.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import type { BillingDeps } from "../../billing-deps.ts";
import { closeDue } from "../../closing/close-due.ts";
import { createCreditNote } from "../../invoices/create-credit-note.ts";
import { reconcileInvoices } from "../../invoices/reconcile-invoices.ts";
import { act, publishPricedPlans, toBillingDeps } from "../../testing/billing.fixture.ts";
import { applyProviderObject } from "../apply-provider-object.ts";
import { collectDue } from "../collect-due.ts";
import { createRefund } from "../create-refund.ts";
import { applyEvent, applyEventJob } from "../events/apply-event.ts";
import type { EventKey } from "../events/provider-events.store.ts";
import { receiveEvent } from "../events/receive-event.ts";
import { sweepEvents } from "../events/sweep-events.ts";
import { setUpPaymentMethod } from "../manage-method.ts";
import { openProviders } from "../open-providers.ts";
import { payInvoice } from "../pay-invoice.ts";
import { sendDueRefunds } from "../send-refund.ts";
import {
  closeDispute,
  failRefund,
  finishAuthentication,
  openDispute,
  createRefund as refundAtStripe,
  settleIntent,
} from "./testing/stand-in-payments.fixture.ts";
import { openStripeStandIn, type StripeStandIn } from "./testing/stripe-stand-in.fixture.ts";
import type { Behaviour } from "./testing/test-cards.fixture.ts";

const SEEDS = IS_SOAK ? 60 : 2;
const STEPS = 30;
const TENANTS = 2;
const SECRET = "whsec_0123456789";
const HOUR_MS = 3_600_000;

const BEHAVIOURS: readonly Behaviour[] = [
  { does: "succeeds" },
  { does: "succeeds" },
  { does: "declines", declineCode: "insufficient_funds" },
  { does: "declines", declineCode: "lost_card" },
  { does: "asks" },
  { does: "takesDays" },
];
const FAULTS = ["rateLimits", "fails", "failsAfter", "resets", "resetsAfter"] as const;

let database: TestDatabase;
let services: TestServices;
let standIn: StripeStandIn;
let receiver: Server;
let deps: TestServices & BillingDeps & { jobs: JobQueue };
const waiting: EventKey[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  standIn = await openStripeStandIn({
    mode: "live",
    now: () => services.clock.now().getTime(),
  });
  const settings = {
    environment: "live",
    key: "rk_live_0123456789",
    webhookSecrets: [SECRET],
    instance: "turnpike",
    apiUrl: standIn.url,
  } as const;
  deps = {
    ...toBillingDeps(services),
    payments: openProviders([settings]),
    jobs: {
      enqueue: (_job, payload) => {
        waiting.push(applyEventJob.schema.parse(payload));
        return Promise.resolve();
      },
    },
  };
  receiver = createServer((req, res) => {
    void readBody(req, 100_000)
      .then(async (rawBody) => {
        const headers = new Headers({
          "stripe-signature": String(req.headers["stripe-signature"]),
        });
        await receiveEvent(deps, "stripe", { rawBody, headers });
      })
      .finally(() => res.end());
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  standIn.endpoints.push({ url: `http://127.0.0.1:${String(port)}/`, secrets: [SECRET] });
  await createTestTenant(services);
  await publishPricedPlans(services);
});
afterAll(async () => {
  receiver.close();
  await standIn.close();
  await database.close();
});

/** Applies what waits, as the queue does: what fails comes again with the next sweep. */
async function work(): Promise<void> {
  for (const key of waiting.splice(0)) {
    const run = { ...deps, applyProviderObject: applyProviderObject.bind(undefined, deps) };
    await applyEvent(run, key).catch(() => undefined);
  }
}

async function openCustomer(name: string): Promise<TenantId> {
  const { tenantId } = await createTestTenant(services, name);
  await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
  const of = { tenantId, environment: "live", returnUrl: "http://shop.test/billings" } as const;
  const { url } = await setUpPaymentMethod(deps, OPERATOR_CONTEXT, of);
  const number = "4242424242424242";
  await fetch(url ?? "", {
    method: "POST",
    body: new URLSearchParams({ number }),
    redirect: "manual",
  });
  return tenantId;
}

type Chance = {
  below: (count: number) => number;
  pick: <Value>(from: readonly Value[]) => Value | undefined;
};

function chance(seed: number): Chance {
  const below = createBelow(seed);
  return { below, pick: (from) => from[below(from.length)] };
}

/** Everything that may happen between two moments; each is refused where it does not apply. */
function listMoves({ below, pick }: Chance): (() => unknown)[] {
  const { intents, disputes, methods, behaviours } = standIn.state;
  const pickIntent = (status: string) =>
    pick([...intents.values()].filter((intent) => intent.status === status));
  return [
    () => collectDue(deps),
    () => collectDue(deps),
    () => Promise.all([collectDue(deps), collectDue(deps)]),
    () => standIn.deliver(below),
    () => work(),
    () => sweepEvents(deps),
    () => services.clock.advance(HOUR_MS * (1 + below(72))),
    () => closeDue(deps),
    () =>
      standIn.fail(
        /^POST .v1.(payment_intents|refunds)/,
        pick(FAULTS) ?? "fails",
        pick(FAULTS) ?? "fails",
      ),
    () => standIn.fail(/^GET/, "rateLimits"),
    () => {
      const method = pick([...methods.keys()]);
      behaviours.set(method ?? "", pick(BEHAVIOURS) ?? { does: "succeeds" });
    },
    () => settleIntent(standIn.state, pickIntent("processing")?.id ?? "", below(3) > 0),
    () =>
      finishAuthentication(standIn.state, pickIntent("requires_action")?.id ?? "", below(2) > 0),
    async () => {
      const rows = await database.sql<{ tenantId: TenantId; invoiceId: string }[]>`
        select tenant_id as "tenantId", invoice_id as "invoiceId" from invoices where state = 'open' order by invoice_id`;
      const returnUrl = "http://shop.test/billings";
      const invoice = pick(rows);
      if (invoice !== undefined) {
        await payInvoice(deps, OPERATOR_CONTEXT, { ...invoice, returnUrl });
      }
    },
    async () => {
      const rows = await database.sql<{ paymentId: string }[]>`
        select payment_id as "paymentId" from received_payments order by payment_id`;
      const amount = `${String(1 + below(9))}.5`;
      const of = { paymentId: pick(rows)?.paymentId ?? "", amount, withCreditNote: false };
      await createRefund(deps, OPERATOR_CONTEXT, { ...of, reason: "Goodwill" });
    },
    () => sendDueRefunds(deps),
    () => {
      const paid = pickIntent("succeeded")?.id ?? "";
      refundAtStripe(standIn.state, { payment_intent: paid, amount: String(100 + below(400)) });
    },
    () => {
      const paid = pickIntent("succeeded")?.id ?? "";
      openDispute(standIn.state, paid, below(2) > 0 ? 100 + below(200) : undefined);
    },
    () => failRefund(standIn.state, pick([...standIn.state.refunds.keys()]) ?? ""),
    async () => {
      // What a payment has paid becomes balance, which later invoices take.
      const rows = await database.sql<{ invoiceId: string }[]>`
        select invoice_id as "invoiceId" from invoices where state = 'paid' order by invoice_id`;
      const invoiceId = pick(rows)?.invoiceId ?? "";
      await createCreditNote(deps, OPERATOR_CONTEXT, { invoiceId, amount: "3", reason: "Agreed." });
    },
    () => {
      const dispute = pick(
        [...disputes.values()].filter(({ status }) => status === "needs_response"),
      );
      closeDispute(standIn.state, dispute?.id ?? "", below(2) > 0 ? "won" : "lost");
    },
  ];
}

/** Stripe answers again and every payment has ended: what is left to do is done. */
async function comeToRest(): Promise<void> {
  standIn.forgetFaults();
  const { intents, disputes } = standIn.state;
  for (const intent of intents.values()) {
    settleIntent(standIn.state, intent.id, true);
    finishAuthentication(standIn.state, intent.id, true);
  }
  for (const dispute of disputes.values()) {
    if (dispute.status === "needs_response") {
      closeDispute(standIn.state, dispute.id, "lost");
    }
  }
  // What is not known is looked up every six hours at least.
  for (let round = 0; round < 3; round += 1) {
    services.clock.advance(7 * HOUR_MS);
    await sweepEvents(deps);
    await work();
    await sendDueRefunds(deps);
    await collectDue(deps);
  }
}

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);

async function checkMoney(): Promise<void> {
  const { intents, refunds, disputes } = standIn.state;
  const amountsOf = (rows: readonly { amount: number }[]) => sum(rows.map(({ amount }) => amount));
  const received = await database.sql<{ reference: string; amount: string }[]>`
    select reference, amount::text from received_payments where provider = 'stripe' order by reference`;
  const paid = [...intents.values()].filter(({ status }) => status === "succeeded");
  expect(received).toEqual(
    paid.map((intent) => ({ reference: intent.id, amount: String(intent.amount_received) })),
  );
  // What went back by refunds, and what banks took.
  const [back] = await database.sql<{ refunded: string; disputed: string }[]>`
    select coalesce(sum(amount) filter (where kind <> 'dispute'), 0)::text as refunded,
      coalesce(sum(amount) filter (where kind = 'dispute'), 0)::text as disputed
    from payment_refunds where state <> 'failed'`;
  expect(back).toEqual({
    refunded: String(amountsOf([...refunds.values()].filter(({ status }) => status !== "failed"))),
    disputed: String(amountsOf([...disputes.values()].filter(({ status }) => status === "lost"))),
  });
  // Nothing is lost between payments, invoices and balances.
  expect((await reconcileInvoices(deps, OPERATOR_CONTEXT)).findings).toEqual([]);
  // Money received is on invoices, in balances, or went back; and no invoice has more than it asks for.
  const tooMuch = await database.sql`
    select invoice_id from invoices
    where paid > total - from_balance - prepaid - credited + to_balance and state <> 'void'`;
  expect(tooMuch).toEqual([]);
  // An invoice is charged again only after it gave money back.
  const dueAgain = await database.sql<{ invoiceId: string }[]>`
    select distinct invoice_id as "invoiceId" from refunded_invoices`;
  const gave = new Set(dueAgain.map(({ invoiceId }) => invoiceId));
  const twice = [...Map.groupBy(paid, ({ metadata }) => metadata["invoice"] ?? "")].filter(
    ([invoiceId, group]) => group.length > 1 && !gave.has(invoiceId),
  );
  expect(twice).toEqual([]);
}

it("ends with Stripe's money, each invoice paid once, in any order of events, faults, refunds and disputes", async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const by = chance(seed);
    for (let index = 0; index < TENANTS; index += 1) {
      await openCustomer(`Customer ${String(seed)}.${String(index)}`);
    }
    const moves = listMoves(by);
    for (let step = 0; step < STEPS; step += 1) {
      try {
        await by.pick(moves)?.();
      } catch {
        // Refused, or Stripe was down: nothing to do about it.
      }
    }
    await comeToRest();
    await checkMoney().catch((error: unknown) => {
      throw new Error(`seed ${String(seed)}`, { cause: error });
    });
  }
});
