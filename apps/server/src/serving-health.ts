import type { ComponentHealth } from "#http/system.routes.ts";
import type { CallLogger } from "#modules/analytics/index.ts";
import {
  type BillingSettings,
  findHeldAccounts,
  findMailTrouble,
  findMissingRates,
  findPaymentTrouble,
} from "#modules/billing/index.ts";
import type { KeyPlaces } from "#modules/cells/index.ts";
import type { ApiGateway, RouteDocuments } from "#modules/gateway/index.ts";
import type { Metering } from "#modules/metering/index.ts";
import type { ChangeFeed } from "#platform/change-feed.ts";
import type { ClickHouse } from "#platform/clickhouse.ts";
import type { ClusterRates } from "#platform/cluster-rates.ts";
import type { JobsHealth } from "#platform/job-supervisor.ts";
import type { StorageGuard } from "#platform/storage-guard.ts";
import { pingDatabase } from "#platform/transact.ts";
import type { WorkerState } from "#platform/worker-fleet.ts";
import type { Installation } from "./deps.ts";
import { toBillingSettings } from "./to-billing-settings.ts";

/** What a thread that serves knows of its own components. */
export type ServingHealth = Record<"changes" | "metering" | "upstreams", ComponentHealth> & {
  /** Only there where calls are logged. */
  callLog?: ComponentHealth;
};

/** The threads that serve beside this one. */
type WorkerStates = {
  /** From 1. */
  worker: number;
  workers: number;
  states(): readonly WorkerState<ServingHealth>[];
};

type RatesHealth = Pick<ClusterRates, "findTrouble" | "processes">;

type HealthInput = {
  installation: Installation;
  metering: Metering;
  changes: ChangeFeed;
  documents: RouteDocuments;
  upstreamHealth: ApiGateway["upstreamHealth"];
  jobs: { health(): JobsHealth };
  shared?: { health(): Record<string, ComponentHealth> } | undefined;
  storage: Pick<StorageGuard, "findTrouble">;
  clusterRates?: RatesHealth | undefined;
  clickhouse?: Pick<ClickHouse, "findTrouble"> | undefined;
  callLogger?: Pick<CallLogger, "health"> | undefined;
  keyPlaces?: Pick<KeyPlaces, "cell" | "cells" | "findTrouble"> | undefined;
  worker?: WorkerStates | undefined;
};

/** How long the database may take to answer a health check. */
const HEALTH_TIMEOUT_MS = 2_000;

/** @returns The answer of the database, or `late` when it takes too long. */
async function inTime<Answer>(query: Promise<Answer>, late: Answer): Promise<Answer> {
  query.catch(() => undefined);
  const timeout = new Promise<Answer>((resolve) => {
    setTimeout(() => resolve(late), HEALTH_TIMEOUT_MS).unref();
  });
  return await Promise.race([query, timeout]);
}

async function checkDatabase(installation: Installation): Promise<ComponentHealth> {
  if (installation.isDatabaseUp?.() === false) {
    return { status: "down", detail: "The embedded database is being started again." };
  }
  const query = pingDatabase(installation.database.sql).then(() => true);
  try {
    return (await inTime(query, false))
      ? { status: "ok" }
      : { status: "down", detail: "The database does not answer in time." };
  } catch {
    return { status: "down", detail: "The database cannot be reached." };
  }
}

function checkChanges(changes: ChangeFeed): ComponentHealth {
  if (changes.isStale()) {
    return {
      status: "degraded",
      detail: "Changes do not arrive: keys and limits are used as last known.",
    };
  }
  return changes.isWokenUp()
    ? { status: "ok" }
    : { status: "ok", detail: "Changes are polled; wake-ups do not arrive." };
}

function checkMetering(metering: Metering): ComponentHealth {
  const { groupsWaiting, groupsSetAside, trouble } = metering.recorder.health;
  if (groupsSetAside > 0) {
    return {
      status: "degraded",
      detail: `The ledger refused ${String(groupsSetAside)} groups of usage; they were set aside.`,
    };
  }
  return trouble === undefined
    ? { status: "ok" }
    : {
        status: "degraded",
        detail: `${trouble}; ${String(groupsWaiting)} groups wait for the ledger.`,
      };
}

/** Never `down`: another process would reach the same upstream no better, so this one must keep its traffic. */
function checkUpstreams(failing: readonly string[]): ComponentHealth {
  return failing.length === 0
    ? { status: "ok" }
    : {
        status: "degraded",
        detail: `No answer from ${failing.join(", ")}: calls get 502 or 504 and are not billed.`,
      };
}

/** Only there when something is wrong: usage goes on, and other accounts are closed. */
async function checkBilling(
  { services }: Installation,
  settings: BillingSettings,
): Promise<Record<string, ComponentHealth>> {
  // What the database says of itself is another component.
  const find = (query: Promise<string | undefined>) =>
    inTime(query, undefined).catch(() => undefined);
  const [held, waiting, unmailed, rates] = await Promise.all([
    find(findHeldAccounts(services)),
    find(findPaymentTrouble(services)),
    find(findMailTrouble(services)),
    find(findMissingRates(services, settings)),
  ]);
  return {
    ...(held === undefined && rates === undefined
      ? {}
      : {
          billing: { status: "degraded", detail: [held, rates].filter(Boolean).join(" ") } as const,
        }),
    ...(waiting === undefined
      ? {}
      : { payments: { status: "degraded", detail: waiting } as const }),
    ...(unmailed === undefined
      ? {}
      : { documents: { status: "degraded", detail: unmailed } as const }),
  };
}

/** Only there when something is wrong: calls are counted all the same. */
function checkRouteDocuments({ trouble }: RouteDocuments): Record<string, ComponentHealth> {
  return trouble === undefined ? {} : { routes: { status: "degraded", detail: trouble } };
}

/** Only there where several nodes share their limits. Never `down`: each node has its share. */
function checkRates(rates: RatesHealth | undefined): Record<string, ComponentHealth> {
  if (rates === undefined) {
    return {};
  }
  const trouble = rates.findTrouble();
  const detail = `${String(rates.processes())} processes share the rate limits.`;
  return {
    rateLimits:
      trouble === undefined ? { status: "ok", detail } : { status: "degraded", detail: trouble },
  };
}

/** Only there in a cell of several. Never `down`: calls with keys of this cell need no directory. */
function checkDirectory(keyPlaces: HealthInput["keyPlaces"]): Record<string, ComponentHealth> {
  if (keyPlaces === undefined) {
    return {};
  }
  const trouble = keyPlaces.findTrouble();
  return {
    directory:
      trouble === undefined
        ? {
            status: "ok",
            detail: `This is cell ${keyPlaces.cell}, one of ${String(keyPlaces.cells().length)}.`,
          }
        : {
            status: "degraded",
            detail: `${trouble} No keys and tenants can be made; keys of other cells work as far as they are remembered.`,
          },
  };
}

/** How long an answer of ClickHouse holds: health is asked often, by each balancer. */
const CLICKHOUSE_FRESH_MS = 5_000;

/** Only there where there is a ClickHouse. Never `down`: charts over all tenants alone need it. */
function createClickHouseHealth({
  clickhouse,
  installation,
}: Pick<HealthInput, "clickhouse" | "installation">): () => Promise<
  Record<string, ComponentHealth>
> {
  const { monotonicMs } = installation.services.clock;
  let asked: { atMs: number; trouble: Promise<string | undefined> } | undefined;
  return async () => {
    if (clickhouse === undefined) {
      return {};
    }
    if (asked === undefined || monotonicMs() - asked.atMs > CLICKHOUSE_FRESH_MS) {
      asked = { atMs: monotonicMs(), trouble: clickhouse.findTrouble() };
    }
    const trouble = await inTime(asked.trouble, "ClickHouse does not answer in time.");
    return {
      clickhouse:
        trouble === undefined
          ? { status: "ok" }
          : { status: "degraded", detail: `${trouble} Nothing over all tenants is shown.` },
    };
  };
}

/** Never `down`: the operator's search alone needs it. */
function checkCallLog(callLogger: HealthInput["callLogger"]): Pick<ServingHealth, "callLog"> {
  if (callLogger === undefined) {
    return {};
  }
  const { waiting, leftOut, isFailing } = callLogger.health();
  return {
    callLog: isFailing
      ? {
          status: "degraded",
          detail: `ClickHouse takes no calls: ${String(waiting)} wait, and ${String(leftOut)} were left out of the log since the start.`,
        }
      : {
          status: "ok",
          detail: `Calls that wait to be logged: ${String(waiting)}, left out since the start: ${String(leftOut)}.`,
        },
  };
}

/** The components of this thread; where it is one of several, the worst of all of them, and whether all are alive. */
function checkServing(
  own: ServingHealth,
  worker: WorkerStates | undefined,
): Record<string, ComponentHealth> {
  if (worker === undefined) {
    return own;
  }
  const others = worker.states().filter((state) => state.worker !== worker.worker);
  const worst = (component: keyof ServingHealth): ComponentHealth => {
    const of = own[component] ?? ({ status: "ok" } as const);
    const bad = others.find((state) => (state.health?.[component]?.status ?? "ok") !== "ok");
    const theirs = bad?.health?.[component];
    return of.status !== "ok" || theirs === undefined
      ? of
      : {
          status: theirs.status,
          detail: `Worker ${String(bad?.worker)}: ${theirs.detail ?? ""}`,
        };
  };
  const silent = others.filter((state) => !state.isAlive).map((state) => String(state.worker));
  const detail = `This is worker ${String(worker.worker)} of ${String(worker.workers)}.`;
  return {
    changes: worst("changes"),
    metering: worst("metering"),
    upstreams: worst("upstreams"),
    ...(own.callLog === undefined ? {} : { callLog: worst("callLog") }),
    workers:
      silent.length === 0
        ? { status: "ok", detail }
        : { status: "degraded", detail: `${detail} No sign of life from: ${silent.join(", ")}.` },
  };
}

/** Never `down`: calls and the ledger go on. */
function checkStorage(trouble: string | undefined): ComponentHealth {
  return trouble === undefined ? { status: "ok" } : { status: "degraded", detail: trouble };
}

function checkJobs(jobs: JobsHealth): ComponentHealth {
  if (jobs.lastHeartbeatAgeMs === null && jobs.restarts === 0) {
    return { status: "ok", detail: "The thread of the background jobs is starting." };
  }
  if (!jobs.isAlive) {
    return { status: "degraded", detail: "No sign of life from the background jobs." };
  }
  return jobs.failedCount === 0
    ? { status: "ok" }
    : { status: "ok", detail: `${String(jobs.failedCount)} background jobs failed for good.` };
}

/** Health of a thread that serves: what it knows without waiting, and the whole with the database asked. */
export function createServingHealth(input: HealthInput): {
  own(): ServingHealth;
  components(): Promise<Record<string, ComponentHealth>>;
} {
  const billing = toBillingSettings(input.installation.config);
  const checkClickHouse = createClickHouseHealth(input);
  const own = (): ServingHealth => ({
    changes: checkChanges(input.changes),
    metering: checkMetering(input.metering),
    upstreams: checkUpstreams(input.upstreamHealth.failing()),
    ...checkCallLog(input.callLogger),
  });
  return {
    own,
    components: async () => {
      const [database] = await Promise.all([
        checkDatabase(input.installation),
        input.upstreamHealth.refresh(),
      ]);
      return {
        database,
        ...checkServing(own(), input.worker),
        ...checkRouteDocuments(input.documents),
        ...checkRates(input.clusterRates),
        ...checkDirectory(input.keyPlaces),
        ...(await checkClickHouse()),
        ...(database.status === "ok" ? await checkBilling(input.installation, billing) : {}),
        jobs: checkJobs(input.jobs.health()),
        storage: checkStorage(input.storage.findTrouble()),
        ...input.shared?.health(),
      };
    },
  };
}
