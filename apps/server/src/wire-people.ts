import type { Server } from "node:http";
import { createApiServer } from "#http/api-server.ts";
import type { FindActor } from "#http/authenticate.ts";
import { createOperationCaller } from "#http/call-operation.ts";
import { createContractHandler } from "#http/contract-handler.ts";
import { createDocumentationRoutes } from "#http/pages/documentation.ts";
import { createApiReference } from "#http/pages/reference/api-reference.ts";
import { createDocumentationSearch } from "#http/pages/search-documentation.ts";
import type { ProblemRenderer } from "#http/problem-details.ts";
import { toAppError } from "#http/problem-details.ts";
import type { ComponentHealth } from "#http/system.routes.ts";
import { createSystemRoutes, toReadiness } from "#http/system.routes.ts";
import { createWriteBudget } from "#http/write-budget.ts";
import {
  createAgentFinder,
  createAgentGrantsRoutes,
  createAuthorizationRoutes,
  createConnectedAgents,
  createMcpRoutes,
  createModelOpener,
  createModelRawRoutes,
  createModelRoutes,
  createProposalsRoutes,
  endAgentGrantsOf,
  MCP_PATH,
  OAUTH_PATH,
} from "#modules/agents/index.ts";
import { createAlertsRoutes } from "#modules/alerts/index.ts";
import {
  createAnalyticsRawRoutes,
  createAnalyticsRoutes,
  createCallsRoutes,
  createExportsRawRoutes,
  createExportsRoutes,
  createLiveCallsRawRoutes,
  createQueue,
} from "#modules/analytics/index.ts";
import { createAuditRawRoutes, createAuditRoutes } from "#modules/audit/index.ts";
import {
  createAllSubscriptionsRoutes,
  createBillingDetailsRoutes,
  createCreditsRoutes,
  createCustomersRoutes,
  createCustomerTaxRoutes,
  createDocumentFilesRawRoutes,
  createGrantingRoutes,
  createInvoicesRawRoutes,
  createInvoicesRoutes,
  createInvoicingRoutes,
  createMigrationRawRoutes,
  createMigrationRoutes,
  createOperatorSpendCapRoutes,
  createPaymentsRoutes,
  createProviderEventsRawRoutes,
  createRevenueRawRoutes,
  createRevenueRoutes,
  createSandboxRoutes,
  createSpendCapRoutes,
  createSubscriptionsRoutes,
  openProviders,
} from "#modules/billing/index.ts";
import { createCatalogRoutes, createPublicCatalog } from "#modules/catalog/index.ts";
import { createDocumentsRawRoutes, createDocumentsRoutes } from "#modules/documents/index.ts";
import { createTenantTermsRoutes } from "#modules/entitlements/index.ts";
import { createEventsRawRoutes, createEventsRoutes, openEvents } from "#modules/events/index.ts";
import { createFilesRawRoutes, createFilesRoutes } from "#modules/files/index.ts";
import { createVerifyRoutes } from "#modules/gateway/index.ts";
import {
  acceptEmulatorTokens,
  createAccountRoutes,
  createCodeExchangeRoutes,
  createDeviceRawRoutes,
  createDeviceRoutes,
  createPersonTokens,
  createPersonTokensRoutes,
  createSetupRoutes,
  createTokenVerifier,
  createTrustedIssuers,
  createUserDirectory,
  IDENTITY_PROVIDER_PREFIX,
  isIdToken,
  isPersonToken,
  isUnsignedToken,
  toNetwork,
} from "#modules/identity/index.ts";
import {
  createAdviceRoutes,
  createAllInsightsRoutes,
  createDigestRoutes,
  createFeedbackRoutes,
  createForecaster,
  createForecastsRoutes,
  createIncidentFinder,
  createInsightsRoutes,
  createInstallationInsightsRoutes,
  createQuestionsRoutes,
} from "#modules/intelligence/index.ts";
import {
  createGithubSigningKeys,
  createKeyImportRoutes,
  createKeysRoutes,
  createLeaksRawRoutes,
  createServiceKeysRoutes,
} from "#modules/keys/index.ts";
import {
  createLimitsRoutes,
  createLocksRoutes,
  hasRoomForLock,
  reserveLock,
} from "#modules/metering/index.ts";
import {
  createMailTransport,
  createNotificationsRoutes,
  createOperatorWebhooksRoutes,
  createOutboxRawRoutes,
  createOutboxRoutes,
  createWebhooksRoutes,
  sendMail,
} from "#modules/notifications/index.ts";
import {
  createDirectoryArrivals,
  createScimMount,
  createScimRoutes,
  createSingleSignOn,
  createSsoRoutes,
} from "#modules/sso/index.ts";
import {
  createActingRoutes,
  createInvitationsRoutes,
  createLogoDrawer,
  createLogosRawRoutes,
  createLogosRoutes,
  createOwnershipRoutes,
  createPersonTenants,
  createRolesRoutes,
  createSignInRawRoutes,
  createTenantsRoutes,
  roleDirectory,
} from "#modules/tenants/index.ts";
import {
  findClientAddress,
  parseTrustedProxies,
  toCanonicalAddress,
} from "#platform/client-address.ts";
import { createGuardedOutbound } from "#platform/guarded-outbound.ts";
import type { RecentRequests } from "#platform/loop-watch.ts";
import { createSealer } from "#platform/sealer.ts";
import { MEGABYTE, type StorageGuard } from "#platform/storage-guard.ts";
import type { AppInput, WorkerSide } from "./app-input.ts";
import { createBrandLogo } from "./brand-logo.ts";
import { createChecksRoutes } from "./checks/checks.routes.ts";
import { createAttempts } from "./create-attempts.ts";
import { createOperatorReference } from "./operator-reference.ts";
import { PERSON_RESOURCES } from "./person-resources.ts";
import { toPublicConfig } from "./public-config.ts";
import { createPublicSite } from "./public-site.ts";
import { TENANT_RESOURCES } from "./tenant-resources.ts";
import { toBillingSettings } from "./to-billing-settings.ts";
import { toMailSettings } from "./to-mail-settings.ts";
import { toModelSettings } from "./to-model-settings.ts";
import { toProviderSettings } from "./to-provider-settings.ts";
import type { CallPath } from "./wire-calls.ts";

/** Questions about usage take the connections of the database for seconds: most of these stay free for metering. */
const USAGE_QUERIES = { running: 4, waiting: 50, waitMs: 60_000 };

function queueOf(worker: WorkerSide | undefined) {
  const { running } = USAGE_QUERIES;
  const share = Math.max(1, Math.floor((worker?.connectionsMax ?? Number.POSITIVE_INFINITY) / 5));
  return { ...USAGE_QUERIES, running: Math.min(running, share) };
}

/** A minute, of one tenant's directory: the fastest ones that are known send twenty a second while they begin. */
const DIRECTORY_REQUESTS = 1_200;

/** Calls of tools at once: each may ask the database, and a model asks many in a row. */
const TOOL_CALLS = { running: 16, waiting: 100, waitMs: 30_000 };

/** Reaches the identity providers of the configuration wherever the operator has them. */
function createProviderOutbound(providers: readonly { issuer: string; origins: string[] }[]) {
  const allowPrivate = providers.flatMap(({ issuer, origins }) =>
    [issuer, ...origins].map((address) => new URL(address).hostname.replace(/^\[(.*)\]$/, "$1")),
  );
  return createGuardedOutbound({ allowPrivate });
}

/** Makes the listener for people: the API, the identity provider, the pages and health. */
export function wirePeople(
  input: AppInput,
  wiring: {
    calls: CallPath;
    renderProblem: ProblemRenderer;
    health: { components(): Promise<Record<string, ComponentHealth>> };
    storage: StorageGuard;
    recent: RecentRequests;
  },
): Server {
  const { installation, metering, changes, urls, fileStore, worker, streamTiming } = input;
  const { config, services, logger } = installation;
  const { calls, renderProblem, health, storage, recent } = wiring;
  const { assertMayStore } = storage;
  const writes = createWriteBudget(config.api.writesPerMinute, services.clock.monotonicMs);
  // Beside the budget of changes: agents mostly read, in many small steps.
  const agentRequests = createWriteBudget(config.api.writesPerMinute, services.clock.monotonicMs);
  const directoryRequests = createWriteBudget(DIRECTORY_REQUESTS, services.clock.monotonicMs);
  const trustedProxies = parseTrustedProxies(config.trustedProxies);
  const files = {
    ...services,
    fileStore,
    signingSecret: input.signingSecret,
    assertMayStore,
    tenantBytesMax: config.storage.tenantFilesMegabytes * MEGABYTE,
  };
  const tenantBytesMax = config.storage.tenantDocumentsMegabytes * MEGABYTE;
  const { callRecorder, decideCall, recheckRights, forwardAuth, liveCalls, whenDurable } = calls;
  const { firebase, providers } = config.identity;
  const attemptsOf = createAttempts(input);
  const trustedIssuers = createTrustedIssuers(
    { ...services, outbound: input.outbound },
    { builtin: input.builtinProvider, providers, firebase },
  );
  const verifySigned = createTokenVerifier({ clock: services.clock, issuers: trustedIssuers });
  /** The project whose unsigned tokens are accepted: in development alone. */
  const emulated = firebase?.emulator === undefined ? undefined : firebase.projectId;
  const users = createUserDirectory({
    ...services,
    verifyToken:
      emulated === undefined
        ? verifySigned
        : acceptEmulatorTokens(verifySigned, { clock: services.clock, projectId: emulated }),
    roles: roleDirectory,
    operators: config.identity.operators,
    secondFactor: config.identity.secondFactor,
    requiresSso: createSingleSignOn(input.sso).isRequired,
  });
  changes.subscribe(users.applyChange);
  const personTokens = createPersonTokens({
    ...services,
    findPerson: users.findPerson,
    consoleUrl: urls.console,
  });
  changes.subscribe(personTokens.applyChange);
  const findActor: FindActor = (credential, findAddress) => {
    if (isIdToken(credential) || (emulated !== undefined && isUnsignedToken(credential))) {
      return users.findActor(credential);
    }
    return isPersonToken(credential)
      ? personTokens.findActor(credential)
      : calls.keys.findActor(credential, findAddress);
  };
  const resource = urls.console + MCP_PATH;
  const connectedAgents = createConnectedAgents({
    ...services,
    findPerson: users.findPerson,
    resource,
  });
  changes.subscribe(connectedAgents.applyChange);
  const devices = {
    ...services,
    attempts: attemptsOf("devices"),
    consoleUrl: urls.console,
  };

  const catalog = createPublicCatalog({
    transact: services.transact,
    monotonicMs: services.clock.monotonicMs,
  });
  changes.subscribe(catalog.applyChange);

  const events = openEvents(services);
  changes.subscribe(events.applyChange);

  const downloads = {
    ...services,
    fileStore,
    signingSecret: input.signingSecret,
    apiUrl: urls.console,
  };
  const analytics = { ...services, inTurn: createQueue(queueOf(worker)) };
  const mail = {
    jobs: input.jobs.queue,
    notices: {
      sendsMail: config.mail.smtp !== undefined,
      brandName: config.brand.name,
      consoleUrl: urls.console,
    },
  };
  const billing = {
    ...analytics,
    mail,
    billing: toBillingSettings(config),
    payments: openProviders(toProviderSettings(config)),
  };
  const mailSettings = toMailSettings(config);
  const drawer = createLogoDrawer();
  const findLogo = createBrandLogo({ mark: config.brand.mark, drawer, logger });
  const forecaster = createForecaster();
  const insights = { ...billing, forecaster, findIncidents: createIncidentFinder() };
  const modelSettings = toModelSettings(config);
  const operatorReference = createOperatorReference({
    config,
    urls,
    clock: services.clock,
    list: calls.documents.listReferences,
    signingSecret: input.signingSecret,
  });
  const router = {
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
    calls: createCallsRoutes({ ...services, callsDays: config.retention.callsDays }),
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
    tenantTerms: createTenantTermsRoutes(services),
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

  const publicConfig = toPublicConfig({ config, urls, version: input.version });
  const site = createPublicSite({
    findSamplePath: calls.documents.findSamplePath,
    config,
    services,
    changes,
    consoleUrl: urls.console,
    publicConfig,
  });

  const callOperation = createOperationCaller(router, { takeWrite: writes.take, assertMayStore });
  const loadReference = createApiReference({ consoleUrl: urls.console, version: input.version });
  const documentation = createDocumentationSearch({
    checkout: config.checkout,
    siteUrl: urls.console,
    loadReference,
  });
  const toolCalls = createQueue(TOOL_CALLS);

  return createApiServer({
    mounts: [
      forwardAuth,
      createScimMount({
        ...input.sso,
        attempts: attemptsOf("directories"),
        assertMayStore,
        networkOf: ({ socket, headers }) =>
          toNetwork(
            findClientAddress({
              peer: toCanonicalAddress(socket.remoteAddress ?? "") ?? "",
              forwardedFor: headers["x-forwarded-for"]?.toString(),
              trusted: trustedProxies,
            }),
          ),
        takeRequest: (tenantId) =>
          directoryRequests.take({ type: "agent", id: "directory", tenantId, scopes: [] }),
      }),
      ...(input.builtinProvider?.handle === undefined
        ? []
        : [{ prefix: IDENTITY_PROVIDER_PREFIX, handle: input.builtinProvider.handle }]),
    ],
    rawRoutes: [
      ...createVerifyRoutes({
        decideCall,
        recheckRights,
        callRecorder,
        whenDurable,
        catalog,
        plansUrl: `${urls.console}/plans`,
        locks: {
          describe: callRecorder.describe,
          hasRoom: (tenantId) => hasRoomForLock(services, tenantId),
          reserve: (request) => reserveLock({ ...services, metering }, request),
        },
        ...services,
      }),
      ...createEventsRawRoutes(events),
      ...createAnalyticsRawRoutes(analytics),
      ...createInvoicesRawRoutes(billing),
      ...createDocumentFilesRawRoutes(billing),
      ...createMigrationRawRoutes(billing),
      ...createRevenueRawRoutes(billing),
      ...createProviderEventsRawRoutes({ ...billing, jobs: input.jobs.queue }),
      ...createExportsRawRoutes(downloads),
      ...createAuditRawRoutes(services),
      ...createLiveCallsRawRoutes({
        ...services,
        liveCalls,
        changes,
        findActor,
        shutdown: input.draining,
        ...(streamTiming && { timing: streamTiming }),
      }),
      ...createLeaksRawRoutes({
        ...services,
        jobs: input.jobs.queue,
        policy: config.leaks.policy,
        signingKeys: createGithubSigningKeys(
          { ...services, outbound: input.outbound },
          config.leaks.githubKeysUrl,
        ),
      }),
      ...createFilesRawRoutes(files),
      ...createLogosRawRoutes({ ...files, drawer }),
      ...createDeviceRawRoutes(devices),
      ...createCodeExchangeRoutes({
        ...services,
        attempts: attemptsOf("providers"),
        outbound: createProviderOutbound(providers),
        clients: providers.flatMap(({ id, issuer, clientId }) => {
          const clientSecret = config.clientSecrets[id];
          return clientSecret === undefined ? [] : [{ id, issuer, clientId, clientSecret }];
        }),
        consoleUrl: urls.console,
      }),
      ...createOutboxRawRoutes(services),
      ...createSignInRawRoutes({
        ...services,
        users,
        plans: installation.plans,
        arrivals: createDirectoryArrivals(input.sso),
      }),
      ...createDocumentsRawRoutes({
        ...services,
        changes,
        findActor,
        shutdown: input.draining,
        ...(streamTiming && { timing: streamTiming }),
      }),
      ...createMcpRoutes({
        findAgent: createAgentFinder({
          findConnected: connectedAgents.findAgent,
          findKeyActor: calls.keys.findActor,
        }),
        callOperation,
        documentation,
        takeRequest: ({ actor }) => agentRequests.take(actor),
        inTurn: toolCalls,
        brandName: config.brand.name,
        version: input.version,
        consoleUrl: urls.console,
        corsOrigins: config.cors.origins,
        authorizationServer: urls.console + OAUTH_PATH,
      }),
      ...createAuthorizationRoutes({
        ...services,
        attempts: attemptsOf("agents"),
        findActor,
        // Anyone may name such an address: no private one is open to them, also none that the operator allows webhooks.
        documents: input.clientDocuments ?? createGuardedOutbound({ allowPrivate: [] }),
        sealer: createSealer(input.signingSecret, "programs that registered"),
        isActive: connectedAgents.isActive,
        consoleUrl: urls.console,
        resource,
      }),
      ...createModelRawRoutes({
        ...services,
        model: modelSettings && {
          settings: modelSettings,
          open: createModelOpener(modelSettings),
        },
        callOperation,
        documentation,
        inTurn: toolCalls,
        brandName: config.brand.name,
        changes,
        findActor,
        shutdown: input.draining,
        ...(streamTiming && { timing: streamTiming }),
      }),
      ...createDocumentationRoutes({
        checkout: config.checkout,
        brand: config.brand,
        consoleUrl: urls.console,
        version: input.version,
        summary: config.landing.summary,
        search: documentation.search,
        loadReference,
        listOwnApi: operatorReference.listPublic,
      }),
      ...operatorReference.rawRoutes,
      ...createSystemRoutes({
        readiness: async () =>
          toReadiness(await health.components(), (input.leaving ?? input.draining).aborted),
        publicConfig,
      }),
      ...site.routes,
    ],
    contract: createContractHandler(router, {
      renderProblem,
      assertMayStore,
      chargeWrites: writes.charge,
      // A person who creates or joins a tenant opens it at once: this process must not wait for its own change to come back.
      onChange: (context) => {
        const actor = context.findCall()?.actor;
        if (actor?.type === "user") {
          users.forget(actor.id);
        }
      },
      onFailure: (error, context) => {
        if (toAppError(error).code === "INTERNAL_ERROR") {
          logger.error({ err: error, requestId: context.requestId }, "A request failed");
        }
      },
    }),
    serveConsole: site.serveConsole,
    findActor,
    renderProblem,
    newId: services.newId,
    logger,
    corsOrigins: config.cors.origins,
    trustedProxies,
    recent,
    takeWrite: writes.take,
  });
}
