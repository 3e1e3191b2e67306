import type { Server } from "node:http";
import { createApiServer } from "#http/api-server.ts";
import type { FindActor } from "#http/authenticate.ts";
import { createContractHandler } from "#http/contract-handler.ts";
import { createDocumentationRoutes } from "#http/documentation.ts";
import { createProblemRenderer, toAppError } from "#http/problem-details.ts";
import { createSystemRoutes, type PartHealth, toReadiness } from "#http/system.routes.ts";
import {
  createAnalyticsRawRoutes,
  createAnalyticsRoutes,
  createQueue,
} from "#modules/analytics/index.ts";
import { createCatalogRoutes, createPublicCatalog } from "#modules/catalog/index.ts";
import { createDocumentsRawRoutes, createDocumentsRoutes } from "#modules/documents/index.ts";
import { createFilesRawRoutes, createFilesRoutes, type FileStore } from "#modules/files/index.ts";
import {
  type ApiGateway,
  createApiGateway,
  createCallRecorder,
  createDecider,
  createForwardAuth,
  createGatewayRawRoutes,
  createRateLimiter,
  FORWARD_AUTH_PREFIX,
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
import { createLimitsRoutes, type Metering } from "#modules/metering/index.ts";
import { createNotificationsRoutes, createOutboxRoutes } from "#modules/notifications/index.ts";
import {
  createInvitationsRoutes,
  createSignInRawRoutes,
  createTenantsRoutes,
  roleDirectory,
} from "#modules/tenants/index.ts";
import type { ChangeFeed } from "#platform/change-feed.ts";
import { parseTrustedProxies } from "#platform/client-address.ts";
import type { JobsHealth } from "#platform/job-supervisor.ts";
import type { Outbound } from "#platform/outbound.ts";
import { pingDatabase } from "#platform/transact.ts";
import type { Installation } from "./deps.ts";
import { toPublicConfig } from "./public-config.ts";
import { createPublicSite } from "./public-site.ts";
import type { BackgroundJobs } from "./start-jobs.ts";

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
  /** Aborted when the process has been asked to stop: streams end, and the health says so. */
  draining: AbortSignal;
};

export type App = { people: Server; gateway: ApiGateway };

/** Questions about usage take the connections of the database for seconds: most of these stay free for metering. */
const USAGE_QUERIES = { running: 4, waiting: 50, waitMs: 10_000 };

/** How long the database may take to answer a health check. */
const HEALTH_TIMEOUT_MS = 2_000;

async function checkDatabase(installation: Installation): Promise<PartHealth> {
  if (installation.isDatabaseUp?.() === false) {
    return { status: "down", detail: "The embedded database is being started again." };
  }
  const query = pingDatabase(installation.database.sql).then(() => true);
  query.catch(() => undefined);
  const timeout = new Promise<false>((resolve) => {
    setTimeout(() => resolve(false), HEALTH_TIMEOUT_MS).unref();
  });
  try {
    return (await Promise.race([query, timeout]))
      ? { status: "ok" }
      : { status: "down", detail: "The database does not answer in time." };
  } catch {
    return { status: "down", detail: "The database cannot be reached." };
  }
}

function checkChanges(changes: ChangeFeed): PartHealth {
  if (changes.isStale()) {
    return {
      status: "degraded",
      detail: "Changes are not heard: keys and limits are used as they were last known.",
    };
  }
  return changes.isWokenUp()
    ? { status: "ok" }
    : { status: "ok", detail: "Changes are polled; wake-ups do not arrive." };
}

function checkMetering(metering: Metering): PartHealth {
  const { groupsWaiting, groupsSetAside, trouble } = metering.recorder.health;
  if (groupsSetAside > 0) {
    return {
      status: "degraded",
      detail: `${String(groupsSetAside)} groups of usage were refused by the ledger and set aside.`,
    };
  }
  return trouble === undefined
    ? { status: "ok" }
    : {
        status: "degraded",
        detail: `${trouble}; ${String(groupsWaiting)} groups wait in the journal.`,
      };
}

function checkJobs({ isAlive, failedCount, lastHeartbeatAgeMs, restarts }: JobsHealth): PartHealth {
  if (lastHeartbeatAgeMs === null && restarts === 0) {
    return { status: "ok", detail: "The thread of the background jobs is starting." };
  }
  if (!isAlive) {
    return { status: "degraded", detail: "The thread of the background jobs is not heard." };
  }
  return failedCount === 0
    ? { status: "ok" }
    : { status: "ok", detail: `${String(failedCount)} background jobs failed for good.` };
}

/** Builds the two listeners and mounts every module; opens no port. */
export function buildApp(input: AppInput): App {
  const { installation, metering, changes, urls, fileStore } = input;
  const { config, services, logger } = installation;
  const renderProblem = createProblemRenderer(`${urls.console}/docs`);

  const directory = createKeyDirectory({
    transact: services.transact,
    monotonicMs: services.clock.monotonicMs,
    now: services.clock.now,
  });
  changes.subscribe(directory.applyChange);
  directory.onTenantChange((tenantId) => metering.leases.release(tenantId));

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
  const findActor: FindActor = (credential) =>
    isIdToken(credential) ? users.findActor(credential) : directory.findActor(credential);

  const callRecorder = createCallRecorder({
    recorder: metering.recorder,
    leases: metering.leases,
    clock: services.clock,
  });
  const decideCall = createDecider({
    directory,
    leases: metering.leases,
    rateLimiter: createRateLimiter({ monotonicMs: services.clock.monotonicMs }),
    clock: services.clock,
    changesSilentMs: () => services.clock.monotonicMs() - changes.lastHeardMs,
  });

  const catalog = createPublicCatalog({
    transact: services.transact,
    monotonicMs: services.clock.monotonicMs,
  });
  changes.subscribe(catalog.applyChange);

  const forwardAuth = createForwardAuth(
    { decideCall, callRecorder, renderProblem, ...services },
    {
      trustedProxies: config.trustedProxies,
      signingSecret: input.signingSecret,
      plansUrl: `${urls.console}/plans`,
    },
  );

  const analytics = { ...services, inTurn: createQueue(USAGE_QUERIES) };
  const router = {
    setup: createSetupRoutes(services),
    tenants: createTenantsRoutes({
      ...services,
      plans: installation.plans,
      memberKeys: installation.memberKeys,
    }),
    invitations: createInvitationsRoutes({
      ...services,
      attempts: createAttemptLimits(services.clock),
      jobs: input.jobs.queue,
      consoleUrl: urls.console,
      brandName: config.brand.name,
    }),
    catalog: createCatalogRoutes(services),
    keys: { ...createKeysRoutes(services), ...createKeyImportRoutes(services) },
    serviceKeys: createServiceKeysRoutes(services),
    usage: { ...createAnalyticsRoutes(analytics), ...createLimitsRoutes(services) },
    files: createFilesRoutes({ ...services, fileStore }),
    documents: createDocumentsRoutes(services),
    notifications: createNotificationsRoutes(services),
    outbox: createOutboxRoutes(services),
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
      { prefix: FORWARD_AUTH_PREFIX, handle: forwardAuth },
      ...(input.builtinProvider?.handle === undefined
        ? []
        : [{ prefix: IDENTITY_PROVIDER_PREFIX, handle: input.builtinProvider.handle }]),
    ],
    rawRoutes: [
      ...createGatewayRawRoutes({
        decideCall,
        callRecorder,
        catalog,
        plansUrl: `${urls.console}/plans`,
        ...services,
      }),
      ...createAnalyticsRawRoutes(analytics),
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
      ...createSignInRawRoutes({ ...services, users }),
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
        readiness: async () =>
          toReadiness(
            {
              database: await checkDatabase(installation),
              changes: checkChanges(changes),
              metering: checkMetering(metering),
              jobs: checkJobs(input.jobs.health()),
            },
            input.draining.aborted,
          ),
        publicConfig,
      }),
      ...site.routes,
    ],
    contract: createContractHandler(router, {
      renderProblem,
      // Whoever founds a tenant or joins one goes there at once: this process must not wait to hear of its own change.
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
      upstreams: input.upstreams,
      trustedProxies: config.trustedProxies,
      instanceName: `turnpike-${metering.processId}`,
      signingSecret: input.signingSecret,
      durability: config.metering.durability,
      maxConnections: config.gateway.maxConnections,
      plansUrl: `${urls.console}/plans`,
    },
  );
  return { people, gateway };
}
