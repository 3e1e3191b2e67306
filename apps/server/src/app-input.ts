import type { ComponentHealth } from "#http/system.routes.ts";
import type { KeyPlaces } from "#modules/cells/index.ts";
import type { FileStore } from "#modules/files/index.ts";
import type { UpstreamConfig } from "#modules/gateway/index.ts";
import type { BuiltinProvider, IdentityProvider } from "#modules/identity/index.ts";
import type { Metering } from "#modules/metering/index.ts";
import type { WebhooksDeps } from "#modules/notifications/index.ts";
import type { SsoDeps } from "#modules/sso/index.ts";
import type { ChangeFeed } from "#platform/change-feed.ts";
import type { ClickHouse } from "#platform/clickhouse.ts";
import type { ClusterRates } from "#platform/cluster-rates.ts";
import type { GuardedOutbound } from "#platform/guarded-outbound.ts";
import type { Outbound } from "#platform/outbound.ts";
import type { ReaderTiming } from "#platform/watch-reader.ts";
import type { WorkerState } from "#platform/worker-fleet.ts";
import type { Installation } from "./deps.ts";
import type { ServingHealth } from "./serving-health.ts";
import type { SharedLimits } from "./shared-limits.ts";
import type { BackgroundJobs } from "./start-jobs.ts";

/** Everything that the listeners are built from. */
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
  /** Health of what the process shares with others: the database, other nodes. Left out: nothing is said of it. */
  shared?: { health(): Record<string, ComponentHealth> } | undefined;
  /** Left out when only providers elsewhere vouch for people. */
  builtinProvider?:
    | (BuiltinProvider & Partial<Pick<IdentityProvider, "handle" | "ownAccounts">>)
    | undefined;
  /** For the single sign-on of tenants. */
  sso: SsoDeps;
  /** For the keys of providers elsewhere. */
  outbound: Outbound;
  fileStore: FileStore;
  /** For the secrets and the addresses of webhooks. */
  webhooks: Pick<WebhooksDeps, "sealer" | "webhookTargets">;
  /** Gets descriptions of programs that connect to `/mcp`; for tests. */
  clientDocuments?: Pick<GuardedOutbound, "get"> | undefined;
  /** How often a stream of the API asks again whether its reader may stay; for tests. */
  streamTiming?: (ReaderTiming & { drainMs: number }) | undefined;
  /** Aborted when no further traffic should come, before `draining`. Left out: with it. */
  leaving?: AbortSignal | undefined;
  /** Aborted when the process has been asked to stop: streams end, and the health says so. */
  draining: AbortSignal;
  /** Rate limits that all nodes share. Left out: each process has its own. */
  clusterRates?: ClusterRates | undefined;
  /** Sums usage over all tenants. Left out: PostgreSQL does. */
  clickhouse?: ClickHouse | undefined;
  /** Where the keys of other cells live. Left out: this installation stands alone. */
  keyPlaces?: KeyPlaces | undefined;
  /** Left out where one thread serves alone. */
  worker?: WorkerSide | undefined;
};

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
