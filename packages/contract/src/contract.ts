import { accountContract } from "./account.ts";
import { actingContract } from "./acting.ts";
import { adviceContract } from "./advice.ts";
import { agentGrantsContract } from "./agent-grants.ts";
import { alertsContract } from "./alerts.ts";
import { auditContract } from "./audit.ts";
import { setupContract } from "./auth.ts";
import { statementsContract } from "./bank-statements.ts";
import { billingDetailsContract, customerTaxContract } from "./billing-details.ts";
import { billingSetupContract } from "./billing-setup.ts";
import { callsContract } from "./calls.ts";
import { catalogContract } from "./catalog.ts";
import { checksContract } from "./checks.ts";
import { couponsContract } from "./coupons.ts";
import { creditsContract, grantingContract } from "./credits.ts";
import { customersContract } from "./customers.ts";
import { deviceSignInsContract, personTokensContract } from "./device-sign-ins.ts";
import { documentsContract } from "./documents.ts";
import { eventsContract } from "./events.ts";
import { exportsContract } from "./exports.ts";
import { filesContract } from "./files.ts";
import { forecastsContract } from "./forecasts.ts";
import { insightDigestsContract } from "./insight-digests.ts";
import { insightFeedbackContract } from "./insight-feedback.ts";
import { allInsightsContract, insightsContract, installationInsightsContract } from "./insights.ts";
import { invitationsContract } from "./invitations.ts";
import { invoicesContract } from "./invoices.ts";
import { invoicingContract } from "./invoicing.ts";
import { keyBulkContract } from "./key-bulk.ts";
import { keyImportContract } from "./key-import.ts";
import { keysContract, serviceKeysContract } from "./keys.ts";
import { locksContract } from "./locks.ts";
import { logosContract } from "./logos.ts";
import { modelAnswersContract, modelSwitchContract } from "./model-answers.ts";
import { notificationsContract } from "./notifications.ts";
import { outboxContract } from "./outbox.ts";
import { ownershipContract } from "./ownership.ts";
import { paymentEventsContract } from "./payment-events.ts";
import { paymentsContract } from "./payments.ts";
import { planMigrationsContract } from "./plan-migrations.ts";
import { planVersionsContract } from "./plan-versions.ts";
import { proposalsContract } from "./proposals.ts";
import { allQuestionsContract, questionsContract } from "./questions.ts";
import { referenceContract } from "./reference.ts";
import { receivedPaymentsContract } from "./refunds.ts";
import { revenueContract } from "./revenue.ts";
import { rolesContract } from "./roles.ts";
import { sandboxContract } from "./sandbox.ts";
import { scimContract } from "./scim.ts";
import { operatorSpendCapContract, spendCapContract } from "./spend-cap.ts";
import { ssoContract } from "./sso.ts";
import { allSubscriptionsContract, subscriptionsContract } from "./subscriptions.ts";
import { taxReportContract } from "./tax-report.ts";
import { tenantTermsContract } from "./tenant-terms.ts";
import { tenantsContract } from "./tenants.ts";
import { usageContract } from "./usage.ts";
import { operatorWebhooksContract, webhooksContract } from "./webhooks.ts";

/** Every operation under `/v1`, by module. */
export const contract = {
  setup: setupContract,
  deviceSignIns: deviceSignInsContract,
  personTokens: personTokensContract,
  account: accountContract,
  reference: referenceContract,
  tenants: { ...tenantsContract, ...auditContract },
  acting: actingContract,
  invitations: invitationsContract,
  roles: rolesContract,
  ownership: ownershipContract,
  catalog: { ...catalogContract, ...planVersionsContract, ...couponsContract },
  keys: { ...keysContract, ...keyImportContract, ...keyBulkContract },
  billing: {
    ...subscriptionsContract,
    ...invoicesContract,
    ...billingDetailsContract,
    ...creditsContract,
    ...spendCapContract,
    ...sandboxContract,
  },
  invoicing: {
    ...allSubscriptionsContract,
    ...invoicingContract,
    ...customerTaxContract,
    ...operatorSpendCapContract,
    ...grantingContract,
  },
  payments: {
    ...paymentsContract,
    ...receivedPaymentsContract,
    ...statementsContract,
    ...paymentEventsContract,
  },
  customers: customersContract,
  revenue: { ...revenueContract, ...taxReportContract, ...billingSetupContract },
  planMigrations: planMigrationsContract,
  locks: locksContract,
  serviceKeys: serviceKeysContract,
  usage: usageContract,
  calls: callsContract,
  alerts: alertsContract,
  insights: insightsContract,
  forecasts: forecastsContract,
  advice: adviceContract,
  allInsights: allInsightsContract,
  installationInsights: installationInsightsContract,
  insightFeedback: insightFeedbackContract,
  insightDigests: insightDigestsContract,
  questions: questionsContract,
  allQuestions: allQuestionsContract,
  modelAnswers: modelAnswersContract,
  modelSwitch: modelSwitchContract,
  proposals: proposalsContract,
  agentGrants: agentGrantsContract,
  sso: ssoContract,
  scim: scimContract,
  exports: exportsContract,
  events: eventsContract,
  files: filesContract,
  logos: logosContract,
  documents: documentsContract,
  notifications: notificationsContract,
  checks: checksContract,
  tenantTerms: tenantTermsContract,
  outbox: outboxContract,
  webhooks: webhooksContract,
  operatorWebhooks: operatorWebhooksContract,
};
