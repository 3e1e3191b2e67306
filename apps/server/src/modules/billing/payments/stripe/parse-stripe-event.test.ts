import Stripe from "stripe";
import { expect, it } from "vitest";
import { EventRefused } from "../payment-provider.ts";
import { parseStripeEvent } from "./parse-stripe-event.ts";
import { signEvent } from "./testing/stripe-stand-in.fixture.ts";

const SECRETS = ["whsec_old", "whsec_new"];
const NOW_MS = Date.UTC(2026, 0, 15);
const SECOND = 1_000;
const settings = {
  environment: "test",
  key: "rk_test_00000000",
  webhookSecrets: SECRETS,
  instance: "turnpike",
} as const;

const toBody = (change: object = {}) =>
  JSON.stringify({
    id: "evt_1",
    object: "event",
    type: "payment_intent.succeeded",
    livemode: false,
    data: { object: { object: "payment_intent", id: "pi_1", payment_intent: null } },
    ...change,
  });

const parse = (body: string, signature: string, sent = body) =>
  parseStripeEvent(settings, {
    rawBody: Buffer.from(sent),
    headers: new Headers({ "stripe-signature": signature }),
    nowMs: NOW_MS,
  });

const sign = (body: string, secret: string, atMs = NOW_MS) =>
  Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: atMs / SECOND });

it("takes what Stripe's own client signs with any of the secrets, and reads what it is about", () => {
  const event = { eventId: "evt_1", type: "payment_intent.succeeded", objectRef: "pi_1" };
  const body = toBody();
  expect(SECRETS.map((secret) => parse(body, sign(body, secret)))).toEqual([event, event]);
  expect(parse(body, sign(body, "whsec_new", NOW_MS - 300 * SECOND))).toEqual(event);
  const dispute = toBody({
    type: "charge.dispute.created",
    data: { object: { object: "dispute", id: "du_1", payment_intent: "pi_9" } },
  });
  expect(parse(dispute, sign(dispute, "whsec_old")).objectRef).toBe("pi_9");
  // The official client takes what the stand-in signs.
  const header = signEvent(body, ["whsec_other", "whsec_new"], NOW_MS);
  const read = Stripe.webhooks.constructEvent(body, header, "whsec_new", 300, undefined, NOW_MS);
  expect(read.id).toBe("evt_1");
});

it("refuses what is forged, changed, replayed, or of the other mode", () => {
  const body = toBody();
  const good = sign(body, "whsec_new");
  const [at = "", signature = ""] = good.split(",");
  const live = toBody({ livemode: true });
  const noEvent = JSON.stringify({ id: "evt_1", object: "v2.core.event" });
  const cases: Record<string, () => unknown> = {
    "no signature": () => parse(body, ""),
    "another secret": () => parse(body, sign(body, "whsec_forged")),
    "another body": () => parse(body, good, body.replace("pi_1", "pi_2")),
    "the same JSON in other bytes": () =>
      parse(body, good, JSON.stringify(JSON.parse(body), null, 2)),
    "another time": () => parse(body, `t=${String(NOW_MS / SECOND + 1)},${signature}`),
    "no time": () => parse(body, signature),
    "a scheme of before": () => parse(body, `${at},${signature.replace("v1=", "v0=")}`),
    "a signature in capitals": () => parse(body, `${at},${signature.toUpperCase()}`),
    "a replay": () => parse(body, sign(body, "whsec_new", NOW_MS - 301 * SECOND)),
    "from the future": () => parse(body, sign(body, "whsec_new", NOW_MS + 301 * SECOND)),
    "the other mode": () => parse(live, sign(live, "whsec_new")),
    "no event": () => parse(noEvent, sign(noEvent, "whsec_new")),
  };
  const passed = Object.entries(cases).filter(([, run]) => {
    try {
      run();
      return true;
    } catch (error) {
      return !(error instanceof EventRefused);
    }
  });
  expect(passed.map(([name]) => name)).toEqual([]);
});
