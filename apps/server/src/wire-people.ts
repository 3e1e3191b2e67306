import type { Server } from "node:http";
import { createApiServer } from "#http/api-server.ts";
import { createOperationCaller } from "#http/call-operation.ts";
import { createContractHandler } from "#http/contract-handler.ts";
import type { ProblemRenderer } from "#http/problem-details.ts";
import { toAppError } from "#http/problem-details.ts";
import type { ComponentHealth } from "#http/system.routes.ts";
import { createSystemRoutes, toReadiness } from "#http/system.routes.ts";
import { createWriteBudget } from "#http/write-budget.ts";
import { IDENTITY_PROVIDER_PREFIX, toNetwork } from "#modules/identity/index.ts";
import { createScimMount } from "#modules/sso/index.ts";
import {
  findClientAddress,
  parseTrustedProxies,
  toCanonicalAddress,
} from "#platform/client-address.ts";
import type { RecentRequests } from "#platform/loop-watch.ts";
import type { StorageGuard } from "#platform/storage-guard.ts";
import type { AppInput } from "./app-input.ts";
import { openPeopleParts } from "./people/open-people-parts.ts";
import { createPeopleOperations } from "./people/people-operations.ts";
import { createPeopleRawRoutes } from "./people/people-raw-routes.ts";
import { toPublicConfig } from "./public-config.ts";
import { createPublicSite } from "./public-site.ts";
import type { CallPath } from "./wire-calls.ts";

/** A minute, of one tenant's directory: the fastest ones that are known send twenty a second while they begin. */
const DIRECTORY_REQUESTS = 1_200;

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
  const { installation, changes, urls } = input;
  const { config, services, logger } = installation;
  const { calls, renderProblem, health, storage, recent } = wiring;
  const { assertMayStore } = storage;
  const writes = createWriteBudget(config.api.writesPerMinute, services.clock.monotonicMs);
  // Beside the budget of changes: agents mostly read, in many small steps.
  const agentRequests = createWriteBudget(config.api.writesPerMinute, services.clock.monotonicMs);
  const directoryRequests = createWriteBudget(DIRECTORY_REQUESTS, services.clock.monotonicMs);
  const trustedProxies = parseTrustedProxies(config.trustedProxies);
  const parts = openPeopleParts(input, { calls, assertMayStore });
  const { attemptsOf, findActor, users } = parts;
  const router = createPeopleOperations(input, parts);
  const callOperation = createOperationCaller(router, { takeWrite: writes.take, assertMayStore });
  const publicConfig = toPublicConfig({ config, urls, version: input.version });
  const site = createPublicSite({
    findSamplePath: calls.documents.findSamplePath,
    config,
    services,
    changes,
    consoleUrl: urls.console,
    publicConfig,
  });

  return createApiServer({
    mounts: [
      calls.forwardAuth,
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
      ...createPeopleRawRoutes(input, {
        calls,
        parts,
        callOperation,
        takeAgentRequest: agentRequests.take,
      }),
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
      ...(calls.elsewhere && { explainMissing: calls.elsewhere.ofTenant }),
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
