import { implement } from "@orpc/server";
import { allSubscriptionsContract, subscriptionsContract } from "@turnpike/contract/subscriptions";
import type { HttpContext } from "#http/http-context.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { getUpcomingInvoice } from "../invoices/get-upcoming-invoice.ts";
import { confirmAction } from "./confirm-action.ts";
import { getSubscription } from "./get-subscription.ts";
import { listBillingEvents } from "./list-billing-events.ts";
import { listSubscriptions } from "./list-subscriptions.ts";
import { quoteAction } from "./quote-action.ts";

export function createSubscriptionsRoutes(deps: BillingDeps) {
  const os = implement(subscriptionsContract).$context<HttpContext>();
  return os.router({
    getSubscription: os.getSubscription.handler(({ input, context }) =>
      getSubscription(deps, context.call(), input),
    ),
    quoteAction: os.quoteAction.handler(({ input, context }) =>
      quoteAction(deps, context.call(), input),
    ),
    confirmAction: os.confirmAction.handler(({ input, context }) =>
      confirmAction(deps, context.call(), input),
    ),
    getUpcomingInvoice: os.getUpcomingInvoice.handler(({ input, context }) =>
      getUpcomingInvoice(deps, context.call(), input),
    ),
    listBillingEvents: os.listBillingEvents.handler(({ input, context }) =>
      listBillingEvents(deps, context.call(), input),
    ),
  });
}

export function createAllSubscriptionsRoutes(deps: BillingDeps) {
  const os = implement(allSubscriptionsContract).$context<HttpContext>();
  return os.router({
    listSubscriptions: os.listSubscriptions.handler(({ input, context }) =>
      listSubscriptions(deps, context.call(), input),
    ),
  });
}
