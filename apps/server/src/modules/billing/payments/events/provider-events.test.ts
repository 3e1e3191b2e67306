import { AppError } from "@turnpike/domain/errors/app-error";
import { createBelow } from "@turnpike/testkit/seeded-chance";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "#platform/clock.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { openProviders } from "../open-providers.ts";
import { makeMethod, settleIntent } from "../stripe/testing/stand-in-payments.fixture.ts";
import {
  openStripeStandIn,
  type StripeStandIn,
  signEvent,
} from "../stripe/testing/stripe-stand-in.fixture.ts";
import { type ApplyEventDeps, applyEvent, applyEventJob } from "./apply-event.ts";
import { findPaymentTrouble } from "./find-payment-trouble.ts";
import { listFailedPaymentEvents } from "./list-failed-events.ts";
import { type EventKey, listEventsToRetry } from "./provider-events.store.ts";
import type { EventsDeps } from "./receive-event.ts";
import { retryPaymentEvents } from "./retry-events.ts";
import { sweepEvents } from "./sweep-events.ts";

const KEY = "rk_test_canary0123456789";
const SECRET = "whsec_canary0123456789";
const MINUTE_MS = 60_000;

let database: TestDatabase;
let services: TestServices;
let standIn: StripeStandIn;
let app: TestApp;
let deps: EventsDeps & ApplyEventDeps;
/** Jobs that were enqueued and not yet done, and what was applied. */
const waiting: EventKey[] = [];
const applied: string[] = [];

const queue: JobQueue = {
  enqueue: (job, payload) => {
    expect(job.name).toBe(applyEventJob.name);
    waiting.push(applyEventJob.schema.parse(payload));
    return Promise.resolve();
  },
};

beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  standIn = await openStripeStandIn({ now: () => services.clock.now().getTime() });
  app = await startTestApp(database, {
    clock: { now: services.clock.now, monotonicMs: systemClock.monotonicMs },
    configText: `billing:\n  stripe: { apiUrl: "${standIn.url}" }\n`,
    env: {
      TURNPIKE_STRIPE_TEST_KEY: KEY,
      TURNPIKE_STRIPE_TEST_WEBHOOK_SECRET: `whsec_rolledAway0, ${SECRET}`,
    },
  });
  standIn.endpoints.push({ url: `${app.url}/v1/webhooks/stripe`, secrets: [SECRET] });
  const settings = {
    environment: "test",
    key: KEY,
    webhookSecrets: [SECRET],
    instance: "turnpike",
  } as const;
  deps = {
    ...services,
    jobs: queue,
    payments: openProviders([{ ...settings, apiUrl: standIn.url }]),
    applyProviderObject: ({ object }) => {
      if (object.kind === "payment") {
        applied.push(`${object.attemptId} ${object.payment.state}`);
      }
      return Promise.resolve(object.kind !== "foreign");
    },
  };
});
afterAll(async () => {
  await app.close();
  await standIn.close();
  await database.close();
});

/** A payment that takes days, made by this installation or another one. */
async function pay(attemptId: string): Promise<string> {
  const customer = { tenantId: "ten_1", environment: "test", name: "Ada", email: null } as const;
  const page = { returnUrl: "http://shop.test", cancelUrl: "http://shop.test", currency: "EUR" };
  const stripe = deps.payments?.test ?? expect.fail("Stripe is set up");
  const setup = await stripe.setupMethod({ ...customer, customerRef: undefined }, page);
  const { customerRef } = setup.kind === "page" ? setup : expect.fail("Stripe has a page");
  const paid = await stripe.collect({
    attemptId,
    tenantId: "ten_1",
    environment: "test",
    invoiceId: "inv_1",
    invoiceNumber: "INV-1",
    amount: 1_000n,
    currency: "EUR",
    customerRef,
    methodRef: makeMethod(standIn.state, "pm_sepa_debit", customerRef).id,
    onSession: null,
  });
  return paid.state === "processing" ? paid.reference : expect.fail(paid.state);
}

async function work(): Promise<void> {
  for (const key of waiting.splice(0)) {
    await applyEvent(deps, key);
  }
}

const stored = () => database.sql`select from provider_events`.then((rows) => rows.length);

it("keeps each event once, however often it is delivered, and takes nothing that is forged", async () => {
  settleIntent(standIn.state, await pay("att_1"), true);
  const body = JSON.stringify(standIn.state.events.at(-1));
  const post = (signature: string) =>
    fetch(`${app.url}/v1/webhooks/stripe`, {
      method: "POST",
      headers: signature === "" ? {} : { "stripe-signature": signature },
      body,
    });
  const good = signEvent(body, [SECRET], services.clock.now().getTime());
  const statuses = [];
  for (const signature of [
    good,
    good,
    "",
    signEvent(body, ["whsec_forged"], services.clock.now().getTime()),
  ]) {
    statuses.push((await post(signature)).status);
  }
  expect(statuses).toEqual([200, 200, 400, 400]);
  expect(await stored()).toBe(1);
  const [job] = await database.sql<{ data: EventKey }[]>`
    select data from pgboss.job where name = ${applyEventJob.name}`;
  expect(job?.data).toMatchObject({ provider: "stripe", environment: "test" });
  await applyEvent(deps, job?.data ?? expect.fail("no job"));
  expect(applied.splice(0)).toEqual(["att_1 succeeded"]);
  // Done is done, and the key is nowhere.
  await applyEvent(deps, job?.data ?? expect.fail("no job"));
  expect(applied).toEqual([]);
  expect(app.logged()).not.toMatch(/canary0123456789/);
});

it("finds what never arrived, applies the present state, and ignores what others made", async () => {
  const references = [await pay("att_2"), await pay("att_3")];
  const foreign = await pay("att_4");
  Object.assign(standIn.state.intents.get(foreign)?.metadata ?? {}, { instance: "elsewhere" });
  settleIntent(standIn.state, references[0] ?? "", true);
  await standIn.deliver(createBelow(7));
  settleIntent(standIn.state, references[1] ?? "", false);
  // Its notices were all lost. Delivered or not, each is here after a sweep.
  await sweepEvents(deps);
  expect(await stored()).toBe(standIn.state.events.length);
  // Those that came by the webhook have a job of the product's own; what waits too long is given to another one.
  services.clock.advance(16 * MINUTE_MS);
  await sweepEvents(deps);
  await work();
  expect([...new Set(applied.splice(0))].sort()).toEqual([
    "att_1 succeeded",
    "att_2 succeeded",
    "att_3 failed",
  ]);
  expect(await database.sql`select from provider_events where applied_at is null`).toHaveLength(0);
});

it("says in health what keeps payments waiting, and goes on by itself afterwards", async () => {
  settleIntent(standIn.state, await pay("att_5"), true);
  standIn.fail(/GET .v1.events/, "rateLimits");
  await sweepEvents(deps);
  expect(await findPaymentTrouble(deps)).toMatch(
    /Stripe takes no more requests.*Calls and invoices go on/s,
  );
  await sweepEvents(deps);
  expect(await findPaymentTrouble(deps)).toBeUndefined();
  standIn.fail(/GET .v1.payment_intents/, "rateLimits");
  await expect(work()).rejects.toThrow("no more requests");
  services.clock.advance(16 * MINUTE_MS);
  expect(await findPaymentTrouble(deps)).toContain("no more requests");
  const health = await app.call(undefined, "GET", "/health/ready");
  expect(health).toMatchObject({ status: 200 });
  expect(health.text).toContain("no more requests");
  await sweepEvents(deps);
  await work();
  expect(applied).toContain("att_5 succeeded");
  expect(await findPaymentTrouble(deps)).toBeUndefined();
});

it("tries what cannot be applied ever later and then once a day, says so, and keeps nothing else waiting", async () => {
  settleIntent(standIn.state, await pay("att_6"), true);
  await sweepEvents(deps);
  const broken = { ...deps, applyProviderObject: () => Promise.reject(new Error("A bug.")) };
  const keys = waiting.splice(0);
  const days: number[] = [];
  const fail = () => Promise.all(keys.map((key) => applyEvent(broken, key).catch(() => undefined)));
  const startMs = services.clock.now().getTime();
  for (let tries = 0; tries < 200 && days.length < 3; tries += 1) {
    await fail();
    await fail();
    services.clock.advance(15 * MINUTE_MS);
    while (waiting.length === 0) {
      await sweepEvents(deps);
      services.clock.advance(60 * MINUTE_MS);
    }
    waiting.length = 0;
    const [row] = await database.sql`select from provider_events where given_up_at is not null`;
    if (row !== undefined) {
      days.push(Math.round((services.clock.now().getTime() - startMs) / (24 * 60 * MINUTE_MS)));
    }
  }
  // Given up after some days, and then taken up once a day.
  const [first = 0] = days;
  expect(days).toEqual([first, first + 1, first + 2]);
  expect(first).toBeLessThan(8);
  expect(await findPaymentTrouble(deps)).toMatch(
    /2 changes that the provider reported .* tried once a day only, such as evt_.*: A payment could not be applied/,
  );
  const inTest = { environment: "test" as const, limit: 1 };
  const page = await listFailedPaymentEvents(deps, OPERATOR_CONTEXT, inTest);
  expect(page.items).toMatchObject([
    { isGivenUp: true, failure: "A payment could not be applied; the log says why." },
  ]);
  const next = { ...inTest, cursor: page.nextCursor ?? expect.fail("one page") };
  const { items } = await listFailedPaymentEvents(deps, OPERATOR_CONTEXT, next);
  expect(items).toHaveLength(1);
  expect(items[0]?.eventId).not.toBe(page.items[0]?.eventId);
  const says = () =>
    Promise.reject(new AppError({ code: "CONFLICT", publicMessage: "It is in another currency." }));
  const refused = { ...deps, applyProviderObject: says };
  expect(await retryPaymentEvents(refused, OPERATOR_CONTEXT, inTest)).toEqual({
    ...{ applied: 0, failed: 2, left: 2 },
  });
  standIn.fail(/GET .v1.payment_intents/, "rateLimits");
  expect(await retryPaymentEvents(deps, OPERATOR_CONTEXT, inTest)).toEqual({
    ...{ applied: 0, failed: 1, left: 2 },
  });
  const toRetry = async () =>
    (await services.transact.asOperator((tx) => listEventsToRetry(tx, inTest))).keys[0]?.eventId;
  const firstId = await toRetry();
  await database.sql`update provider_events set tries = tries + 1 where event_id = ${firstId ?? ""}`;
  expect(await toRetry()).not.toBe(firstId);
  const told = await listFailedPaymentEvents(deps, OPERATOR_CONTEXT, inTest);
  expect(told.items[0]?.failure).toBe("It is in another currency.");
  expect(await retryPaymentEvents(deps, OPERATOR_CONTEXT, inTest)).toMatchObject({ left: 0 });
  expect(applied).toContain("att_6 succeeded");
  expect(await findPaymentTrouble(deps)).toBeUndefined();
});

it("keeps those of a provider that was removed from keeping others waiting", async () => {
  settleIntent(standIn.state, await pay("att_7"), true);
  await sweepEvents(deps);
  const removed = { ...deps, payments: undefined };
  services.clock.advance(16 * MINUTE_MS);
  waiting.length = 0;
  await sweepEvents(removed);
  const keys = waiting.splice(0);
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys) {
    expect(await applyEvent(removed, key)).toBeUndefined();
  }
  await sweepEvents(removed);
  expect(waiting).toEqual([]);
  // Once it is back, so are they.
  services.clock.advance(16 * MINUTE_MS);
  await sweepEvents(deps);
  await work();
  expect(applied).toContain("att_7 succeeded");
});
