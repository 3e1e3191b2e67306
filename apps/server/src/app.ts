import { createHmac } from "node:crypto";
import type { Server } from "node:http";
import { redactAddress } from "@turnpike/domain/privacy/redact";
import { createApiServer } from "#http/api-server.ts";
import type { FindActor } from "#http/authenticate.ts";
import { createContractHandler } from "#http/contract-handler.ts";
import { createDocumentationRoutes } from "#http/documentation.ts";
import { createProblemRenderer, toAppError } from "#http/problem-details.ts";
import { createSystemRoutes, toReadiness } from "#http/system.routes.ts";
import { createAlertsRoutes } from "#modules/alerts/index.ts";
import {
  createAnalyticsRawRoutes,
  createAnalyticsRoutes,
  createExportsRawRoutes,
  createExportsRoutes,
  createLiveCalls,
  createLiveCallsRawRoutes,
  createQueue,
  LIVE_CALLS_CHANNEL,
} from "#modules/analytics/index.ts";
import { createCatalogRoutes, createPublicCatalog } from "#modules/catalog/index.ts";
import { createDocumentsRawRoutes, createDocumentsRoutes } from "#modules/documents/index.ts";
import { createEntitlementDirectory } from "#modules/entitlements/index.ts";
import { createEventsRawRoutes, createEventsRoutes, openEvents } from "#modules/events/index.ts";
import { createFilesRawRoutes, createFilesRoutes, type FileStore } from "#modules/files/index.ts";
import {
  type ApiGateway,
  createApiGateway,
  createCallRecorder,
  createDecider,
  createForwardAuth,
  createRateLimiter,
  createRouteDocuments,
  createUpstreamRouter,
  createVerifyRoutes,
  type UpstreamConfig,
} from "#modules/gateway/index.ts";
import {
  type BuiltinProvider,
  createAttemptLimits,
  createSetupRoutes,
  createTokenVerifier,
  createTrustedIssuers,
  createUserDirectory,
  IDENTITY_PROVIDER_PREFIX,
  type IdentityProvider,
  isIdToken,
} from "#modules/identity/index.ts";
import {
  createGithubSigningKeys,
  createKeyDirectory,
  createKeyImportRoutes,
  createKeysRoutes,
  createLeaksRawRoutes,
  createServiceKeysRoutes,
} from "#modules/keys/index.ts";
import {
  createLimitsRoutes,
  createLocksRoutes,
  hasRoomForLock,
  type Metering,
  reserveLock,
} from "#modules/metering/index.ts";
import {
  createNotificationsRoutes,
  createOperatorWebhooksRoutes,
  createOutboxRoutes,
  createWebhooksRoutes,
  type WebhooksDeps,
} from "#modules/notifications/index.ts";
import {
  createInvitationsRoutes,
  createSignInRawRoutes,
  createTenantsRoutes,
  roleDirectory,
} from "#modules/tenants/index.ts";
import type { ChangeFeed } from "#platform/change-feed.ts";
import { parseTrustedProxies } from "#platform/client-address.ts";
import { isOwnAddress, limitConnections } from "#platform/limit-connections.ts";
import type { Outbound } from "#platform/outbound.ts";
import { createListen } from "#platform/postgres-listen.ts";
import type { WorkerState } from "#platform/worker-fleet.ts";
import { dataPath, type Installation } from "./deps.ts";
import { toPublicConfig } from "./public-config.ts";
import { createPublicSite } from "./public-site.ts";
import { createServingHealth, type ServingHealth } from "./serving-health.ts";
import type { SharedLimits } from "./shared-limits.ts";
import type { BackgroundJobs } from "./start-jobs.ts";
import { TENANT_RESOURCES } from "./tenant-resources.ts";

export type AppInput = {
  installation: Installation;
  metering: Metering;
  changes: ChangeFeed;
  upstreams: readonly UpstreamConfig[];
  signingSecret: string;
  /** Public addresses, without a slash at the end. */
  urls: { console: string; gateway: string };
  version: string;
  jobs: Pick<BackgroundJobs, "health" | "queue">;
  /** Left out when only providers elsewhere vouch for people. */
  builtinProvider?: (BuiltinProvider & Partial<Pick<IdentityProvider, "handle">>) | undefined;
  /** For the keys of providers elsewhere. */
  outbound: Outbound;
  fileStore: FileStore;
  /** For the secrets and the addresses of webhooks. */
  webhooks: Pick<WebhooksDeps, "sealer" | "webhookTargets">;
  /** Aborted when the process has been asked to stop: streams end, and the health says so. */
  draining: AbortSignal;
  /** Left out where one thread serves alone. */
  worker?: WorkerSide | undefined;
};

export type App = { people: Server; gateway: ApiGateway; health(): ServingHealth };

/** What a thread that serves beside others knows of them. */
export type WorkerSide = {
  /** From 1. */
  worker: number;
  workers: number;
  /** To the database, of this thread. */
  connectionsMax: number;
  /** Of all of them: a call that comes back may come to another one. */
  instanceName: string;
  limits: SharedLimits;
  /** All workers, as the main thread last said. */
  states(): readonly WorkerState<ServingHealth>[];
};

/** Questions about usage take the connections of the database for seconds: most of these stay free for metering. */
const USAGE_QUERIES = { running: 4, waiting: 50, waitMs: 10_000 };

function queueOf(worker: WorkerSide | undefined) {
  const { running } = USAGE_QUERIES;
  const share = Math.max(1, Math.floor((worker?.connectionsMax ?? Number.POSITIVE_INFINITY) / 5));
  return { ...USAGE_QUERIES, running: Math.min(running, share) };
}

/** Builds the two listeners and mounts every module; opens no port. */
export function buildApp(input: AppInput): App {
  const { installation, metering, changes, urls, fileStore } = input;
  const { config, services, logger } = installation;
  const { worker } = input;
  const renderProblem = createProblemRenderer(`${urls.console}/docs`);

  const { transact } = services;
  const { monotonicMs, now } = services.clock;
  const entitlements = createEntitlementDirectory({ transact, monotonicMs });
  const directory = createKeyDirectory({ transact, monotonicMs, now, entitlements });
  changes.subscribe(entitlements.applyChange);
  changes.subscribe(directory.applyChange);
  changes.subscribe(metering.applyChange);

  const users = createUserDirectory({
    ...services,
    verifyToken: createTokenVerifier({
      clock: services.clock,
      issuers: createTrustedIssuers(
        { ...services, outbound: input.outbound },
        { builtin: input.builtinProvider, providers: config.identity.providers },
      ),
    }),
    roles: roleDirectory,
    operators: config.identity.operators,
  });
  changes.subscribe(users.applyChange);
  const findActor: FindActor = (credential, findAddress) =>
    isIdToken(credential)
      ? users.findActor(credential)
      : directory.findActor(credential, findAddress);

  const liveCalls = createLiveCalls({
    ...services,
    changes,
    listen: createListen(installation.database.target, LIVE_CALLS_CHANNEL),
    processId: metering.processId,
    shutdown: input.draining,
  });
  const upstreamRouter = createUpstreamRouter(input.upstreams);
  const documents = createRouteDocuments(
    { outbound: input.outbound, logger, folder: dataPath(config, "openapi") },
    upstreamRouter.upstreams,
  );
  documents.keepFresh(input.draining);
  const callRecorder = createCallRecorder({
    documents,
    paths: config.redaction.paths,
    recorder: metering.recorder,
    leases: metering.leases,
    clock: services.clock,
    observer: liveCalls.observer,
  });
  const decideCall = createDecider({
    directory,
    entitlements,
    leases: metering.leases,
    rateLimiter:
      worker?.limits.rateLimiter ?? createRateLimiter({ monotonicMs: services.clock.monotonicMs }),
    clock: services.clock,
    changesSilentMs: () => services.clock.monotonicMs() - changes.lastHeardMs,
  });

  const gateway = createApiGateway(
    {
      decideCall,
      callRecorder,
      recorder: metering.recorder,
      renderProblem,
      newId: services.newId,
      clock: services.clock,
      logger,
    },
    {
      router: upstreamRouter,
      trustedProxies: config.trustedProxies,
      instanceName: worker?.instanceName ?? `turnpike-${metering.processId}`,
      sharePermits: worker?.limits.upstreamPermits,
      signingSecret: input.signingSecret,
      durability: config.metering.durability,
      maxConnections: config.gateway.maxConnections,
      plansUrl: `${urls.console}/plans`,
    },
  );

  const health = createServingHealth({
    ...input,
    documents,
    upstreamHealth: gateway.upstreamHealth,
  });

  const catalog = createPublicCatalog({
    transact: services.transact,
    monotonicMs: services.clock.monotonicMs,
  });
  changes.subscribe(catalog.applyChange);

  const events = openEvents(services);
  changes.subscribe(events.applyChange);

  const whenJournaled =
    config.metering.durability === "strict" ? () => metering.recorder.whenJournaled() : undefined;

  const forwardAuth = createForwardAuth(
    { decideCall, callRecorder, whenJournaled, renderProblem, ...services },
    {
      trustedProxies: config.trustedProxies,
      signingSecret: input.signingSecret,
      plansUrl: `${urls.console}/plans`,
    },
  );

  const downloads = {
    ...services,
    fileStore,
    signingSecret: input.signingSecret,
    apiUrl: urls.console,
  };
  const analytics = { ...services, inTurn: createQueue(queueOf(worker)) };
  const router = {
    setup: createSetupRoutes({
      ...services,
      attempts: worker?.limits.attemptsOf("setup") ?? createAttemptLimits(services.clock),
    }),
    tenants: createTenantsRoutes({
      ...services,
      plans: installation.plans,
      memberKeys: installation.memberKeys,
      resources: TENANT_RESOURCES,
    }),
    invitations: createInvitationsRoutes({
      ...services,
      plans: installation.plans,
      attempts: worker?.limits.attemptsOf("invitations") ?? createAttemptLimits(services.clock),
      jobs: input.jobs.queue,
      consoleUrl: urls.console,
      brandName: config.brand.name,
    }),
    catalog: createCatalogRoutes(services),
    keys: { ...createKeysRoutes(services), ...createKeyImportRoutes(services) },
    locks: createLocksRoutes({ ...services, metering }),
    serviceKeys: createServiceKeysRoutes(services),
    usage: {
      ...createAnalyticsRoutes(analytics),
      ...createLimitsRoutes(services),
    },
    alerts: createAlertsRoutes({
      ...analytics,
      jobs: input.jobs.queue,
      notices: {
        sendsMail: config.mail.smtp !== undefined,
        brandName: config.brand.name,
        consoleUrl: urls.console,
      },
    }),
    exports: createExportsRoutes({ ...downloads, jobs: input.jobs.queue }),
    events: createEventsRoutes(analytics),
    files: createFilesRoutes({ ...services, fileStore }),
    documents: createDocumentsRoutes(services),
    notifications: createNotificationsRoutes(services),
    outbox: createOutboxRoutes(services),
    webhooks: createWebhooksRoutes({ ...services, ...input.webhooks }),
    operatorWebhooks: createOperatorWebhooksRoutes({ ...services, ...input.webhooks }),
  };

  const publicConfig = toPublicConfig({ config, urls, version: input.version });
  const site = createPublicSite({
    config,
    services,
    changes,
    consoleUrl: urls.console,
    publicConfig,
  });

  const people = createApiServer({
    mounts: [
      forwardAuth,
      ...(input.builtinProvider?.handle === undefined
        ? []
        : [{ prefix: IDENTITY_PROVIDER_PREFIX, handle: input.builtinProvider.handle }]),
    ],
    rawRoutes: [
      ...createVerifyRoutes({
        decideCall,
        callRecorder,
        whenJournaled,
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
      ...createExportsRawRoutes(downloads),
      ...createLiveCallsRawRoutes({
        ...services,
        liveCalls,
        changes,
        findActor,
        shutdown: input.draining,
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
      ...createFilesRawRoutes({ ...services, fileStore }),
      ...createSignInRawRoutes({ ...services, users, plans: installation.plans }),
      ...createDocumentsRawRoutes({
        ...services,
        changes,
        findActor,
        shutdown: input.draining,
      }),
      ...createDocumentationRoutes({
        checkout: config.checkout,
        brand: config.brand,
        consoleUrl: urls.console,
        version: input.version,
      }),
      ...createSystemRoutes({
        readiness: async () => toReadiness(await health.components(), input.draining.aborted),
        publicConfig,
      }),
      ...site.routes,
    ],
    contract: createContractHandler(router, {
      renderProblem,
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
    trustedProxies: parseTrustedProxies(config.trustedProxies),
  });

  const digest = (text: string) =>
    createHmac("sha256", input.signingSecret).update(`address ${text}`).digest("hex");
  const proxies = parseTrustedProxies(config.trustedProxies);
  const connections = {
    perAddressMax: config.listen.maxConnectionsPerAddress,
    isExempt: (address: string) => isOwnAddress(address) || proxies.has(address),
    show: (address: string) => redactAddress(address, config.redaction.addresses, digest),
    logger,
  };
  limitConnections(people, {
    ...connections,
    listener: "people",
    totalMax: config.api.maxConnections,
  });
  limitConnections(gateway.server.server, {
    ...connections,
    listener: "programs",
    totalMax: config.gateway.maxConnections,
  });
  return { people, gateway, health: health.own };
}
