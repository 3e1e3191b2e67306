import { AppError } from "@turnpike/domain/errors/app-error";
import { type RawCall, type RawRoute, readBody, sendJson } from "#http/raw-route.ts";
import { EventRefused } from "../payment-provider.ts";
import { type EventsDeps, receiveEvent } from "./receive-event.ts";

/** Events of Stripe have a few kilobytes; the largest objects some hundred. */
const BODY_BYTES_MAX = 512 * 1024;

async function receive(deps: EventsDeps, { req, res }: RawCall): Promise<void> {
  const signature = req.headers["stripe-signature"];
  try {
    await receiveEvent(deps, "stripe", {
      // The very bytes: a signature over JSON that was parsed and written again proves nothing.
      rawBody: await readBody(req, BODY_BYTES_MAX),
      headers: new Headers(typeof signature === "string" ? { "stripe-signature": signature } : {}),
    });
  } catch (error) {
    throw error instanceof EventRefused
      ? new AppError({ code: "PAYMENT_EVENT_UNVERIFIED", publicMessage: `${error.message}.` })
      : error;
  }
  sendJson(res, 200, { received: true });
}

/** Takes the events of providers. The signature is the credential. */
export function createProviderEventsRawRoutes(deps: EventsDeps): RawRoute[] {
  return [{ method: "POST", path: "/v1/webhooks/stripe", handle: (call) => receive(deps, call) }];
}
