import {
  createAgentGrantsRoutes,
  createModelRoutes,
  createProposalsRoutes,
  endAgentGrantsOf,
} from "#modules/agents/index.ts";
import { createAlertsRoutes } from "#modules/alerts/index.ts";
import {
  createAnalyticsRoutes,
  createCallsRoutes,
  createExportsRoutes,
} from "#modules/analytics/index.ts";
import { createAuditRoutes } from "#modules/audit/index.ts";
import {
  createAllSubscriptionsRoutes,
  createBillingDetailsRoutes,
  createCreditsRoutes,
  createCustomersRoutes,
  createCustomerTaxRoutes,
  createGrantingRoutes,
  createInvoicesRoutes,
  createInvoicingRoutes,
  createMigrationRoutes,
  createOperatorSpendCapRoutes,
  createPaymentsRoutes,
  createRevenueRoutes,
  createSandboxRoutes,
  createSpendCapRoutes,
  createSubscriptionsRoutes,
} from "#modules/billing/index.ts";
import { createCatalogRoutes } from "#modules/catalog/index.ts";
import { createDocumentsRoutes } from "#modules/documents/index.ts";
import { createTenantTermsRoutes } from "#modules/entitlements/index.ts";
import { createEventsRoutes } from "#modules/events/index.ts";
import { createFilesRoutes } from "#modules/files/index.ts";
import {
  createAccountRoutes,
  createDeviceRoutes,
  createPersonTokensRoutes,
  createSetupRoutes,
} from "#modules/identity/index.ts";
import {
  createAdviceRoutes,
  createAllInsightsRoutes,
  createDigestRoutes,
  createFeedbackRoutes,
  createForecastsRoutes,
  createInsightsRoutes,
  createInstallationInsightsRoutes,
  createQuestionsRoutes,
} from "#modules/intelligence/index.ts";
import {
  createKeyImportRoutes,
  createKeysRoutes,
  createServiceKeysRoutes,
} from "#modules/keys/index.ts";
import { createLimitsRoutes, createLocksRoutes } from "#modules/metering/index.ts";
import {
  createMailTransport,
  createNotificationsRoutes,
  createOperatorWebhooksRoutes,
  createOutboxRoutes,
  createWebhooksRoutes,
  sendMail,
} from "#modules/notifications/index.ts";
import { createScimRoutes, createSsoRoutes } from "#modules/sso/index.ts";
import {
  createActingRoutes,
  createInvitationsRoutes,
  createLogosRoutes,
  createOwnershipRoutes,
  createPersonTenants,
  createRolesRoutes,
  createTenantsRoutes,
  tellOfChange,
} from "#modules/tenants/index.ts";
import type { AppInput } from "../app-input.ts";
import { createChecksRoutes } from "../checks/checks.routes.ts";
import { PERSON_RESOURCES } from "../person-resources.ts";
import { TENANT_RESOURCES } from "../tenant-resources.ts";
import type { PeopleParts } from "./open-people-parts.ts";

/** Makes the operations of the contract, by the names they have there. */
export function createPeopleOperations(input: AppInput, parts: PeopleParts) {
  const { installation, metering, urls } = input;
  const { config, services, logger } = installation;
  const { providers } = config.identity;
  const {
    files,
    downloads,
    tenantBytesMax,
    attemptsOf,
    trustedIssuers,
    verifySigned,
    devices,
    analytics,
    mail,
    billing,
    mailSettings,
    findLogo,
    forecaster,
    insights,
    modelSettings,
    operatorReference,
  } = parts;
  return {
    setup: createSetupRoutes({
      ...services,
      attempts: attemptsOf("setup"),
    }),
    deviceSignIns: createDeviceRoutes(devices),
    personTokens: createPersonTokensRoutes(services),
    reference: operatorReference.routes,
    account: createAccountRoutes({
      ...services,
      accounts: input.builtinProvider?.ownAccounts,
      agents: {
        endAgentsOf: (tx, userId, why) => endAgentGrantsOf(services, tx, { userId, why }),
      },
      tenants: createPersonTenants({ ...services, memberKeys: installation.memberKeys }),
      resources: PERSON_RESOURCES,
      verifyToken: verifySigned,
      providers,
      trustedIssuers: new Set(trustedIssuers.map(({ storedAs }) => storedAs)),
      mailer: {
        sendMail: async (tx, message) => {
          await sendMail({ ...services, jobs: input.jobs.queue }, tx, message);
        },
      },
      stage: { brand: config.brand.name, consoleUrl: urls.console },
    }),
    tenants: {
      ...createTenantsRoutes({
        ...services,
        plans: installation.plans,
        memberKeys: installation.memberKeys,
        resources: TENANT_RESOURCES,
        mail,
      }),
      ...createAuditRoutes(services),
    },
    acting: createActingRoutes({ ...services, ...mail }),
    invitations: createInvitationsRoutes({
      ...services,
      plans: installation.plans,
      attempts: attemptsOf("invitations"),
      ...mail.notices,
      jobs: input.jobs.queue,
      consoleUrl: urls.console,
    }),
    roles: createRolesRoutes(services),
    ownership: createOwnershipRoutes({ ...services, ...mail }),
    catalog: createCatalogRoutes(services),
    billing: {
      ...createSubscriptionsRoutes(billing),
      ...createInvoicesRoutes(billing),
      ...createBillingDetailsRoutes(billing),
      ...createSpendCapRoutes(billing),
      ...createSandboxRoutes(billing),
      ...createCreditsRoutes(billing),
    },
    invoicing: {
      ...createAllSubscriptionsRoutes(billing),
      ...createInvoicingRoutes(billing),
      ...createCustomerTaxRoutes(billing),
      ...createGrantingRoutes(billing),
      ...createOperatorSpendCapRoutes(billing),
    },
    payments: createPaymentsRoutes({ ...billing, consoleUrl: urls.console }),
    revenue: createRevenueRoutes(billing),
    customers: createCustomersRoutes({ ...services, plans: installation.plans }),
    planMigrations: createMigrationRoutes({ ...billing, jobs: input.jobs.queue }),
    keys: { ...createKeysRoutes(services), ...createKeyImportRoutes(services) },
    locks: createLocksRoutes({ ...services, metering }),
    serviceKeys: createServiceKeysRoutes(services),
    usage: {
      ...createAnalyticsRoutes(analytics),
      ...createLimitsRoutes(services),
    },
    calls: createCallsRoutes({ ...analytics, callsDays: config.retention.callsDays }),
    alerts: createAlertsRoutes({ ...analytics, ...mail }),
    insights: createInsightsRoutes(insights),
    allInsights: createAllInsightsRoutes(services),
    forecasts: createForecastsRoutes({ ...billing, forecaster }),
    advice: createAdviceRoutes({ ...billing, forecaster }),
    installationInsights: createInstallationInsightsRoutes(insights),
    insightFeedback: createFeedbackRoutes(services),
    insightDigests: createDigestRoutes({ ...services, sendsMail: config.mail.smtp !== undefined }),
    ...createQuestionsRoutes({ ...billing, forecaster, plans: installation.plans }),
    proposals: createProposalsRoutes(billing),
    agentGrants: createAgentGrantsRoutes(services),
    sso: createSsoRoutes(input.sso),
    scim: createScimRoutes(input.sso),
    ...createModelRoutes({ ...services, model: modelSettings }),
    exports: createExportsRoutes({ ...downloads, jobs: input.jobs.queue }),
    events: createEventsRoutes(analytics),
    files: createFilesRoutes(files),
    logos: createLogosRoutes(files),
    documents: createDocumentsRoutes({ ...services, tenantBytesMax }),
    notifications: createNotificationsRoutes(services),
    tenantTerms: createTenantTermsRoutes({
      ...services,
      tellOfLimits: (tx, { tenantId, isOwn }) =>
        tellOfChange({ ...services, mail }, tx, {
          tenantId,
          change: { kind: "limits_changed", isOwn },
        }),
    }),
    checks: createChecksRoutes({
      ...{ config, urls, services, clock: services.clock, version: input.version },
    }),
    outbox: createOutboxRoutes({
      ...services,
      jobs: input.jobs.queue,
      mailTransport: createMailTransport(mailSettings, { logger, findLogo }),
      brand: mailSettings.brand,
      findLogo,
    }),
    webhooks: createWebhooksRoutes({ ...services, ...input.webhooks }),
    operatorWebhooks: createOperatorWebhooksRoutes({ ...services, ...input.webhooks }),
  };
}
