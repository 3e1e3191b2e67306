import type { CallOperation } from "#http/call-operation.ts";
import { createDocumentationRoutes } from "#http/pages/documentation.ts";
import { createApiReference } from "#http/pages/reference/api-reference.ts";
import { createDocumentationSearch } from "#http/pages/search-documentation.ts";
import type { TakeWrite } from "#http/write-budget.ts";
import {
  createAgentFinder,
  createAuthorizationRoutes,
  createMcpRoutes,
  createModelOpener,
  createModelRawRoutes,
  OAUTH_PATH,
} from "#modules/agents/index.ts";
import {
  createAnalyticsRawRoutes,
  createExportsRawRoutes,
  createLiveCallsRawRoutes,
  createQueue,
} from "#modules/analytics/index.ts";
import { createAuditRawRoutes } from "#modules/audit/index.ts";
import {
  createDocumentFilesRawRoutes,
  createInvoicesRawRoutes,
  createMigrationRawRoutes,
  createProviderEventsRawRoutes,
  createRevenueRawRoutes,
} from "#modules/billing/index.ts";
import { createDocumentsRawRoutes } from "#modules/documents/index.ts";
import { createEventsRawRoutes } from "#modules/events/index.ts";
import { createFilesRawRoutes } from "#modules/files/index.ts";
import { createVerifyRoutes } from "#modules/gateway/index.ts";
import {
  createCodeExchangeRoutes,
  createDeviceRawRoutes,
  createLogoutRoutes,
} from "#modules/identity/index.ts";
import { createGithubSigningKeys, createLeaksRawRoutes } from "#modules/keys/index.ts";
import { hasRoomForLock, reserveLock } from "#modules/metering/index.ts";
import { createOutboxRawRoutes } from "#modules/notifications/index.ts";
import { createDirectoryArrivals } from "#modules/sso/index.ts";
import { createLogosRawRoutes, createSignInRawRoutes } from "#modules/tenants/index.ts";
import { createGuardedOutbound } from "#platform/guarded-outbound.ts";
import { createSealer } from "#platform/sealer.ts";
import type { AppInput } from "../app-input.ts";
import type { CallPath } from "../wire-calls.ts";
import type { PeopleParts } from "./open-people-parts.ts";

/** Calls of tools at once: each may ask the database, and a model asks many in a row. */
const TOOL_CALLS = { running: 16, waiting: 100, waitMs: 30_000 };

/** Reaches the identity providers of the configuration wherever the operator has them. */
function createProviderOutbound(providers: readonly { issuer: string; origins: string[] }[]) {
  const allowPrivate = providers.flatMap(({ issuer, origins }) =>
    [issuer, ...origins].map((address) => new URL(address).hostname.replace(/^\[(.*)\]$/, "$1")),
  );
  return createGuardedOutbound({ allowPrivate });
}

/** Makes the routes that the contract does not describe, or not alone: streams, files, protocols of others. */
export function createPeopleRawRoutes(
  input: AppInput,
  wiring: {
    calls: CallPath;
    parts: PeopleParts;
    callOperation: CallOperation;
    takeAgentRequest: TakeWrite;
  },
) {
  const { installation, metering, changes, urls, streamTiming } = input;
  const { config, services } = installation;
  const { providers } = config.identity;
  const { calls, parts, callOperation, takeAgentRequest } = wiring;
  const { callRecorder, decideCall, recheckRights, liveCalls, whenDurable } = calls;
  const {
    files,
    attemptsOf,
    users,
    findActor,
    resource,
    connectedAgents,
    devices,
    catalog,
    events,
    downloads,
    analytics,
    billing,
    drawer,
    modelSettings,
    operatorReference,
    trustedIssuers,
  } = parts;
  const loadReference = createApiReference({ consoleUrl: urls.console, version: input.version });
  const documentation = createDocumentationSearch({
    checkout: config.checkout,
    siteUrl: urls.console,
    gatewayUrl: urls.gateway,
    loadReference,
  });
  const toolCalls = createQueue(TOOL_CALLS);

  return [
    ...createVerifyRoutes({
      decideCall,
      recheckRights,
      callRecorder,
      whenDurable,
      catalog,
      plansUrl: `${urls.console}/plans`,
      findElsewhere: calls.elsewhere?.ofKey,
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
    ...createLogoutRoutes({
      ...services,
      attempts: attemptsOf("logouts"),
      providers: providers.flatMap(({ id, issuer, clientId }) => {
        const findKey = trustedIssuers.find((one) => one.issuer === issuer)?.findKey;
        return findKey === undefined ? [] : [{ id, issuer, clientId, findKey }];
      }),
    }),
    ...createOutboxRawRoutes(services),
    ...createSignInRawRoutes({
      ...services,
      users,
      plans: installation.plans,
      arrivals: createDirectoryArrivals(input.sso),
      listMoved: calls.elsewhere?.ofPerson,
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
      takeRequest: ({ actor }) => takeAgentRequest(actor),
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
      gatewayUrl: urls.gateway,
      version: input.version,
      summary: config.landing.summary,
      search: documentation.search,
      loadReference,
      listOwnApi: operatorReference.listPublic,
    }),
    ...operatorReference.rawRoutes,
  ];
}
