import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { type ApiReply, startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices, type TestServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "#platform/clock.ts";
import type { BillingDeps } from "../../billing-deps.ts";
import { closeDue } from "../../closing/close-due.ts";
import { publishPricedPlans, toBillingDeps } from "../../testing/billing.fixture.ts";
import { applyProviderObject } from "../apply-provider-object.ts";
import { collectDue } from "../collect-due.ts";
import { applyEvent } from "../events/apply-event.ts";
import type { EventKey } from "../events/provider-events.store.ts";
import { openProviders } from "../open-providers.ts";
import { ProviderDown } from "../payment-provider.ts";
import { openStripeStandIn, type StripeStandIn } from "./testing/stripe-stand-in.fixture.ts";
import type { Behaviour } from "./testing/test-cards.fixture.ts";

const KEY = "rk_live_0123456789abcdef";
const SECRET = "whsec_0123456789abcdef";
const DAY_MS = 24 * 3_600_000;

let database: TestDatabase;
let services: TestServices;
let standIn: StripeStandIn;
let app: TestApp;
let deps: TestServices & BillingDeps;
let tenantId: TenantId;
let operator: string;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  const { clock } = services;
  standIn = await openStripeStandIn({ mode: "live", now: () => clock.now().getTime() });
  app = await startTestApp(database, {
    clock: { now: clock.now, monotonicMs: systemClock.monotonicMs },
    configText: `billing:\n  stripe: { apiUrl: "${standIn.url}" }\n`,
    env: { TURNPIKE_STRIPE_KEY: KEY, TURNPIKE_STRIPE_WEBHOOK_SECRET: SECRET },
  });
  standIn.endpoints.push({ url: `${app.url}/v1/webhooks/stripe`, secrets: [SECRET] });
  standIn.isDeliveringAtOnce = true;
  const settings = {
    environment: "live",
    key: KEY,
    webhookSecrets: [],
    instance: "turnpike",
  } as const;
  deps = {
    ...toBillingDeps(services),
    // Lists are in the order of ids.
    newId: app.services.newId,
    payments: openProviders([{ ...settings, apiUrl: standIn.url }]),
  };
  await publishPricedPlans(services);
  tenantId = await app.mintTenant("Acme");
  operator = await app.mintServiceKey(["billing:read", "billing:write"]);
  key = await app.mintKey(tenantId, []);
});
afterAll(async () => {
  await app.close();
  await standIn.close();
  await database.close();
});

const post = (path: string, body: object) =>
  app.call(operator, "POST", `/v1/tenants/${tenantId}${path}`, body);
const get = (path: string) => app.call(operator, "GET", `/v1/tenants/${tenantId}${path}`);
const call = () =>
  fetch(`${app.gatewayUrl}/v1/anything`, { headers: { authorization: `Bearer ${key}` } }).then(
    async (reply) => ({ status: reply.status, text: await reply.text() }),
  );

/** What the jobs of a minute do: periods close, attempts are made, events are applied. */
async function runJobs(): Promise<void> {
  await closeDue(deps);
  await collectDue(deps);
  const waiting = await database.sql<EventKey[]>`
    select provider, environment, event_id as "eventId" from provider_events where applied_at is null`;
  for (const event of waiting) {
    const run = { ...deps, applyProviderObject: applyProviderObject.bind(undefined, deps) };
    // The queue tries it again.
    await applyEvent(run, event).catch((error) => expect(error).toBeInstanceOf(ProviderDown));
  }
}

async function passDays(days: number): Promise<void> {
  services.clock.advance(days * DAY_MS);
  await runJobs();
}

/** What the card does from now on. */
function setCard(behaviour: Behaviour): void {
  for (const method of standIn.state.methods.keys()) {
    standIn.state.behaviours.set(method, behaviour);
  }
}

async function newestInvoice(): Promise<{ invoiceId: string; state: string; total: string }> {
  const { json } = await get("/invoices?limit=1");
  return json.items[0];
}

/** Goes through a page of Stripe, as the browser does. @returns Where it leads back to. */
async function submit(url: string, fields: Record<string, string>): Promise<string | null> {
  const body = new URLSearchParams(fields);
  const reply = await fetch(url, { method: "POST", body, redirect: "manual" });
  return reply.headers.get("location");
}

it("takes a customer from a card to a paid invoice, through a failed renewal to the block, and back by authentication", async () => {
  const action = { do: "subscribe", planId: "metered" };
  const { json: quote } = await post("/subscription/quotes", { action });
  const { at, hash } = quote;
  const done = await post("/subscription/changes", { action, at, hash });
  expect(done.status, done.text).toBe(200);
  const setup: ApiReply = await post("/payment-method/setups", { returnPath: "/billings?saved=1" });
  const back = await submit(setup.json.url, { number: "4242 4242 4242 4242" });
  expect(back).toBe("http://console.test/billings?saved=1");
  await pollUntil("the method is in force", async () => {
    await runJobs();
    return (await get("/payment-method")).json.method?.last4 === "4242";
  });
  await runJobs();
  const first = await newestInvoice();
  expect(first).toMatchObject({ state: "paid", total: "31.00" });

  // A renewal while Stripe is down: the period closes, the invoice is issued and calls go on. Only money waits.
  for (let times = 0; times < 20; times += 1) {
    standIn.fail(/./, "rateLimits");
  }
  setCard({ does: "declines", declineCode: "insufficient_funds" });
  await passDays(32);
  const renewal = await newestInvoice();
  expect(renewal.invoiceId).not.toBe(first.invoiceId);
  expect(renewal).toMatchObject({ state: "open", total: "31.00" });
  expect((await call()).status).toBe(200);
  expect((await get(`/invoices/${renewal.invoiceId}/collection`)).json).toMatchObject({
    attempts: [{ state: "pending" }],
    calendar: { begins: "due_date", standing: "current" },
  });
  standIn.forgetFaults();

  // The card is declined: attempts follow after 2, 7, 14 and 21 days, the customer gets a notice of each, and calls go on until the grace ends.
  await passDays(1);
  const { json: failed } = await get(`/invoices/${renewal.invoiceId}/collection`);
  expect(failed).toMatchObject({
    attempts: [{ state: "failed", reason: "insufficient_funds" }],
    calendar: { begins: "failed_payment", standing: "overdue" },
  });
  expect(failed.calendar.nextAttempts).toHaveLength(4);
  for (const days of [2, 5, 7, 7]) {
    await passDays(days);
  }
  const tried = await get(`/invoices/${renewal.invoiceId}/collection`);
  expect(tried.json.attempts).toHaveLength(5);
  expect(tried.json.calendar).toMatchObject({ standing: "grace", nextAttempts: [] });
  const told = await database.sql<{ kind: string }[]>`
    select kind from notifications where tenant_id = ${tenantId} and kind = 'payment.failed'`;
  expect(told).toHaveLength(5);
  expect((await call()).status).toBe(200);
  await passDays(8);
  await pollUntil("calls are refused", async () => (await call()).status === 402);
  expect((await call()).text).toContain("PAYMENT_REQUIRED");

  // The customer pays by a card that asks for authentication, on Stripe's page; with the payment, calls pass again.
  setCard({ does: "asks" });
  const paying = await post(`/invoices/${renewal.invoiceId}/pay`, {
    returnPath: `/billings/${renewal.invoiceId}`,
  });
  expect(paying.json, paying.text).toMatchObject({ attempt: { state: "action_required" } });
  const returned = await submit(paying.json.url, { answer: "yes" });
  expect(returned).toContain(`http://console.test/billings/${renewal.invoiceId}`);
  await pollUntil("the notice of the payment has come", async () => {
    await runJobs();
    return (await get(`/invoices/${renewal.invoiceId}`)).json.state === "paid";
  });
  await pollUntil("calls pass again", async () => (await call()).status === 200);
  const charged = [...standIn.state.intents.values()].filter(
    ({ status }) => status === "succeeded",
  );
  const invoices = charged.map(({ metadata }) => metadata["invoice"]);
  expect(new Set(invoices).size).toBe(invoices.length);
  expect(app.logged()).not.toContain(KEY.slice(8));
});
