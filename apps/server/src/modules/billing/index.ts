export { accountsOfTenant } from "./accounts-of-tenant.ts";
export { createBilledPlans } from "./billed-plans.ts";
export { createBillingJobs } from "./billing.jobs.ts";
export type { BillingDeps } from "./billing-deps.ts";
export type { BillingSettings } from "./billing-settings.ts";
export { closeAccounts, closeDue } from "./closing/close-due.ts";
export { findHeldAccounts } from "./closing/find-held-accounts.ts";
export { withClosingPaused } from "./closing/pause-closing.ts";
export { buyCredit } from "./credits/buy-credit.ts";
export { createCreditsRoutes, createGrantingRoutes } from "./credits/credits.routes.ts";
export { getCredits } from "./credits/get-credits.ts";
export { grantCredit } from "./credits/grant-credit.ts";
export { putAutomaticTopUp } from "./credits/set-automatic-top-up.ts";
export { createCustomersRoutes } from "./customers/customers.routes.ts";
export { setExemption, setTaxIdStatus } from "./details/decide-tax-of-customer.ts";
export { createBillingDetailsRoutes, createCustomerTaxRoutes } from "./details/details.routes.ts";
export { putBillingDetails } from "./details/put-billing-details.ts";
export { toPlaceLine } from "./details/to-customer.ts";
export { createDocumentFilesRawRoutes } from "./documents/documents.routes.ts";
export {
  countDocuments,
  EXPORT_FORMATS,
  exportDocuments,
} from "./documents/export-documents.ts";
export { findMailTrouble } from "./documents/mail/find-mail-trouble.ts";
export { addAdjustment } from "./invoices/add-adjustment.ts";
export { createCreditNote } from "./invoices/create-credit-note.ts";
export { getInvoice } from "./invoices/get-invoice.ts";
export { getUpcomingInvoice } from "./invoices/get-upcoming-invoice.ts";
export {
  createInvoicesRawRoutes,
  createInvoicesRoutes,
  createInvoicingRoutes,
} from "./invoices/invoices.routes.ts";
export { listAllInvoices } from "./invoices/list-all-invoices.ts";
export { listInvoices } from "./invoices/list-invoices.ts";
export { listLineUsage } from "./invoices/list-line-usage.ts";
export { markUncollectible } from "./invoices/mark-uncollectible.ts";
export { reconcileInvoices } from "./invoices/reconcile-invoices.ts";
export { recordPayment } from "./invoices/record-payment.ts";
export { voidInvoice } from "./invoices/void-invoice.ts";
export { createMigrationRawRoutes, createMigrationRoutes } from "./migration/migration.routes.ts";
export { listOffers, type Offer } from "./offers/list-offers.ts";
export type { FailedPayment } from "./payments/attempts.store.ts";
export { createProviderEventsRawRoutes } from "./payments/events/events.routes.ts";
export { findPaymentTrouble } from "./payments/events/find-payment-trouble.ts";
export { listFailedPayments } from "./payments/list-failed-payments.ts";
export { importStatement } from "./payments/manual/import-statement.ts";
export { matchCertainLines } from "./payments/manual/match-lines.ts";
export { openProviders, type ProviderSettings } from "./payments/open-providers.ts";
export { createPaymentsRoutes } from "./payments/payments.routes.ts";
export { openProjection, type Projection } from "./projection/open-projection.ts";
export { findMissingRates } from "./revenue/find-rate-trouble.ts";
export { getRevenue } from "./revenue/get-revenue.ts";
export { getTaxReport } from "./revenue/get-tax-report.ts";
export { createRevenueRawRoutes, createRevenueRoutes } from "./revenue/revenue.routes.ts";
export { advanceClock } from "./sandbox/advance-clock.ts";
export { getClock } from "./sandbox/get-clock.ts";
export { createSandboxRoutes } from "./sandbox/sandbox.routes.ts";
export { putSpendCap } from "./spend-cap/change-spend-cap.ts";
export { getSpendCap } from "./spend-cap/get-spend-cap.ts";
export {
  createOperatorSpendCapRoutes,
  createSpendCapRoutes,
} from "./spend-cap/spend-cap.routes.ts";
export { confirmAction } from "./subscriptions/confirm-action.ts";
export { listBillingEvents } from "./subscriptions/list-billing-events.ts";
export { quoteAction } from "./subscriptions/quote-action.ts";
export {
  createAllSubscriptionsRoutes,
  createSubscriptionsRoutes,
} from "./subscriptions/subscriptions.routes.ts";
