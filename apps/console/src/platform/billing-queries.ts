import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "./api-client.ts";
import { askAgainIn } from "./ask-again-in.ts";
import type { Environment } from "./current-environment.ts";
import type { OwnTenant } from "./current-tenant.ts";
import { VERIFIED_USER_KEY } from "./verified-user.ts";

type Billing = ApiClient["billing"];

/** Whose billing it is: of a tenant, live or in its sandbox. */
export type BillingPlace = { tenantId: OwnTenant["tenantId"]; environment: Environment };

export type Subscription = Awaited<ReturnType<Billing["getSubscription"]>>;
export type UpcomingInvoice = Awaited<ReturnType<Billing["getUpcomingInvoice"]>>;
export type Invoice = Awaited<ReturnType<Billing["getInvoice"]>>;
export type InvoiceSummary = Awaited<ReturnType<Billing["listInvoices"]>>["items"][number];
export type InvoiceLine = Invoice["lines"][number];
export type InvoiceTax = Invoice["taxes"][number];
export type Quote = Awaited<ReturnType<Billing["quoteAction"]>>;
export type SubscriptionAction = Parameters<Billing["quoteAction"]>[0]["action"];
export type LinePart = Awaited<ReturnType<Billing["listLineUsage"]>>["items"][number];
export type BillingEvent = Awaited<ReturnType<Billing["listBillingEvents"]>>["items"][number];
/** How a tenant pays, and how it could. */
export type PaymentSetup = Awaited<ReturnType<ApiClient["payments"]["getPaymentMethod"]>>;
export type PaymentMethod = NonNullable<PaymentSetup["method"]>;
export type BillingClock = Awaited<ReturnType<Billing["getClock"]>>;

/** The first part of the key of everything about the billing of a tenant. */
export function billingKey({ tenantId }: Pick<BillingPlace, "tenantId">) {
  return ["billing", tenantId] as const;
}

export function subscriptionQuery(api: ApiClient, place: BillingPlace) {
  return queryOptions({
    queryKey: [...billingKey(place), place.environment, "subscription"],
    queryFn: ({ signal }): Promise<Subscription> => api.billing.getSubscription(place, { signal }),
  });
}

/**
 * The running invoice.
 *
 * @param options.refetchMs - Asks again in so many milliseconds while the page is in sight. Left out: not by itself.
 */
export function upcomingInvoiceQuery(
  api: ApiClient,
  place: BillingPlace,
  options: { refetchMs?: number } = {},
) {
  return queryOptions({
    queryKey: [...billingKey(place), place.environment, "upcoming"],
    queryFn: ({ signal }): Promise<UpcomingInvoice> =>
      api.billing.getUpcomingInvoice(place, { signal }),
    refetchInterval: askAgainIn(options.refetchMs ?? false),
  });
}

export function paymentSetupQuery(api: ApiClient, place: BillingPlace) {
  return queryOptions({
    queryKey: [...billingKey(place), place.environment, "payment-method"],
    queryFn: ({ signal }): Promise<PaymentSetup> =>
      api.payments.getPaymentMethod(place, { signal }),
  });
}

export function clockQuery(api: ApiClient, { tenantId }: Pick<BillingPlace, "tenantId">) {
  return queryOptions({
    queryKey: [...billingKey({ tenantId }), "clock"],
    queryFn: ({ signal }): Promise<BillingClock> => api.billing.getClock({ tenantId }, { signal }),
  });
}

/** Asks again for what a change of a subscription, or of the sandbox's time, has made old. */
export async function refreshBilling(client: QueryClient, place: BillingPlace): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: billingKey(place) }),
    client.invalidateQueries({ queryKey: ["limits", place.tenantId] }),
    // The plan of a tenant is part of who is signed in.
    client.invalidateQueries({ queryKey: VERIFIED_USER_KEY }),
  ]);
}
