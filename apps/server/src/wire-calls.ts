import type { ProblemRenderer } from "#http/problem-details.ts";
import {
  createCallLogger,
  createLiveCalls,
  createRecentCalls,
  LIVE_CALLS_CHANNEL,
  openCallLog,
} from "#modules/analytics/index.ts";
import { createFindElsewhere, createMoveWatch, deriveCellsKey } from "#modules/cells/index.ts";
import { createEntitlementDirectory } from "#modules/entitlements/index.ts";
import { openEvents } from "#modules/events/index.ts";
import {
  createApiGateway,
  createCallRecorder,
  createDecider,
  createForwardAuth,
  createOpenCalls,
  createRateLimiter,
  createRightsRecheck,
  createRouteDocuments,
  createTakePreflight,
  createUpstreamRouter,
  type OtherCells,
} from "#modules/gateway/index.ts";
import { createKeyDirectory, hashKey } from "#modules/keys/index.ts";
import { createListen } from "#platform/postgres-listen.ts";
import type { AppInput } from "./app-input.ts";
import { dataPath } from "./deps.ts";
import { toReferenceVisibility } from "./public-config.ts";

/** Everything that decides on calls and carries them: the gateway, forward auth, and what verification shares with them. */
export type CallPath = ReturnType<typeof wireCalls>;

/** What a decision takes beside the store of rate limits, generously. */
const DECISION_MS = 250;

/** Undefined where calls are not logged. */
function openLog({ installation, clickhouse }: AppInput) {
  const { config, services } = installation;
  const days = config.clickhouse?.callsDays ?? 0;
  return clickhouse === undefined || days === 0
    ? undefined
    : openCallLog({ ...services, clickhouse }, days);
}

/** Undefined where this installation stands alone. */
function toOtherCells({ installation, keyPlaces }: AppInput): OtherCells | undefined {
  const { cellsSecret } = installation.config;
  return keyPlaces === undefined || cellsSecret === undefined
    ? undefined
    : { ...keyPlaces, markerKey: deriveCellsKey(cellsSecret, "forwarded calls") };
}

export function wireCalls(input: AppInput, renderProblem: ProblemRenderer) {
  const { installation, metering, changes, urls, worker } = input;
  const { config, services, logger } = installation;
  const { transact } = services;
  const { monotonicMs, now } = services.clock;
  const entitlements = createEntitlementDirectory({ transact, monotonicMs });
  const directory = createKeyDirectory({ transact, monotonicMs, now, entitlements });
  changes.subscribe(entitlements.applyChange);
  changes.subscribe(directory.applyChange);
  changes.subscribe(metering.applyChange);

  const events = openEvents(services);
  changes.subscribe(events.applyChange);

  const whenDurable = {
    grouped: undefined,
    strict: () => metering.recorder.whenJournaled(),
    cluster: () => metering.recorder.whenCommitted(),
  }[config.metering.durability];

  const liveCalls = createLiveCalls({
    ...services,
    changes,
    listen: createListen(installation.database.target, LIVE_CALLS_CHANNEL),
    processId: metering.processId,
    shutdown: input.draining,
  });
  const recentCalls = config.retention.callsDays > 0 ? createRecentCalls(services) : undefined;
  const callLog = openLog(input);
  const callLogger = callLog && createCallLogger({ ...services, callLog });
  if (callLogger !== undefined) {
    metering.recorder.observe(callLogger.groups);
  }
  const upstreamRouter = createUpstreamRouter(input.upstreams);
  const documents = createRouteDocuments(
    { outbound: input.outbound, logger, folder: dataPath(config, "openapi") },
    upstreamRouter.upstreams,
  );
  documents.keepFresh(input.draining);
  const callRecorder = createCallRecorder({
    documents,
    paths: config.redaction.paths,
    models: new Set(
      upstreamRouter.upstreams.flatMap(
        ({ tokens }) => tokens?.meters.flatMap(({ models = [] }) => models) ?? [],
      ),
    ),
    recorder: metering.recorder,
    leases: metering.leases,
    clock: services.clock,
    observers: [liveCalls, recentCalls, callLogger].flatMap((part) => part?.observer ?? []),
  });
  const changesSilentMs = () => services.clock.monotonicMs() - changes.lastHeardMs;
  const decideCall = createDecider({
    directory,
    entitlements,
    leases: metering.leases,
    clusterRates: input.clusterRates,
    rateLimiter:
      input.clusterRates === undefined
        ? (worker?.limits.rateLimiter ??
          createRateLimiter({ monotonicMs: services.clock.monotonicMs }))
        : undefined,
    callCounts: worker?.limits.callCounts,
    clock: services.clock,
    changesSilentMs,
  });
  const recheckRights = createRightsRecheck({ directory, entitlements, clock: services.clock });
  const openCalls = createOpenCalls({
    recheckRights,
    changesSilentMs,
    clock: services.clock,
    logger,
  });
  changes.subscribe(openCalls.applyChange);
  openCalls.watchExpiry(input.draining);
  if (installation.directory !== undefined) {
    const moves = createMoveWatch({
      ...services,
      processId: metering.processId,
      heardRevision: () => changes.revision,
      openCalls,
      finishTenant: async (tenantId) => {
        await events.settle();
        const isCommitted = await metering.finishTenant(tenantId);
        return isCommitted && recentCalls?.isSettled(tenantId) !== false;
      },
      // Rate limits that are asked elsewhere are decided after the rights.
      decisionMs: input.clusterRates === undefined ? 0 : config.rateLimits.timeoutMs + DECISION_MS,
    });
    changes.subscribe(moves.applyChange);
    moves.start();
    input.draining.addEventListener("abort", moves.stop, { once: true });
  }

  const gateway = createApiGateway(
    {
      decideCall,
      callRecorder,
      openCalls,
      whenDurable,
      takePreflight: input.clusterRates && createTakePreflight(input.clusterRates),
      forgetUnknown: (keyHash, tenantId) => {
        directory.forgetMiss(keyHash);
        entitlements.forgetMiss(tenantId);
      },
      renderProblem,
      newId: services.newId,
      clock: services.clock,
      logger,
    },
    {
      router: upstreamRouter,
      trustedProxies: config.trustedProxies,
      cells: toOtherCells(input),
      instanceName: worker?.instanceName ?? `turnpike-${metering.processId}`,
      shareUpstream: worker?.limits.shareUpstream,
      signingSecret: input.signingSecret,
      maxConnections: config.gateway.maxConnections,
      plansUrl: `${urls.console}/plans`,
      pagesOrigin:
        toReferenceVisibility(config) === null ? undefined : new URL(urls.console).origin,
    },
  );

  const forwardAuth = createForwardAuth(
    { decideCall, callRecorder, whenDurable, renderProblem, ...services },
    {
      trustedProxies: config.trustedProxies,
      signingSecret: input.signingSecret,
      plansUrl: `${urls.console}/plans`,
    },
  );

  const { keyPlaces } = input;
  return {
    /** Undefined where this installation stands alone. */
    elsewhere:
      keyPlaces === undefined || installation.directory === undefined
        ? undefined
        : createFindElsewhere({
            directory: installation.directory,
            keyPlaces,
            transact: services.transact,
            hashKey,
            logger,
          }),
    keys: directory,
    liveCalls,
    recentCalls,
    callLog,
    callLogger,
    documents,
    events,
    callRecorder,
    decideCall,
    recheckRights,
    whenDurable,
    gateway,
    forwardAuth,
  };
}
