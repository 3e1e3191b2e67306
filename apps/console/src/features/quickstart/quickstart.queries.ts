import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { RequestError } from "#platform/error-message.ts";
import { isStepId, type StepId } from "./quickstart.view-model.ts";

type TenantId = OwnTenant["tenantId"];

const COLLECTION = "progress";
const DOCUMENT = "quickstart";

/** How often it is looked whether the first call has arrived, in milliseconds. */
export const WATCH_MS = 1_500;

export type Progress = {
  finished: readonly StepId[];
  /** Guards a write against what somebody else finished meanwhile; "0" for none yet. */
  revision: string;
};

function toProgress(body: Record<string, unknown>, revision: string): Progress {
  const finished = body["finished"];
  return { finished: Array.isArray(finished) ? finished.filter(isStepId) : [], revision };
}

function isMissing(cause: unknown): boolean {
  return cause instanceof RequestError && cause.status === 404;
}

export const quickstartQueries = {
  /** The tenant's newest key, if it has one. */
  newestKey: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["keys", tenantId, "newest"],
      queryFn: async ({ signal }) => {
        const { items } = await api.keys.list({ tenantId, state: "active", limit: 1 }, { signal });
        return items[0] ?? null;
      },
    }),

  /** Steps that were finished on any device. */
  progress: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["documents", tenantId, COLLECTION, DOCUMENT],
      queryFn: async ({ signal }): Promise<Progress> => {
        const input = { tenantId, collection: COLLECTION, documentId: DOCUMENT };
        try {
          const { body, revision } = await api.documents.get(input, { signal });
          return toProgress(body, revision);
        } catch (cause) {
          if (isMissing(cause)) {
            return { finished: [], revision: "0" };
          }
          throw cause;
        }
      },
    }),

  /** The calls of the last hour, newest first, and how many there were ever. Watched until there is one. */
  firstCalls: (api: ApiClient, tenantId: TenantId, isWatching: boolean) =>
    queryOptions({
      queryKey: ["usage", tenantId, "first-calls"],
      queryFn: async ({ signal }) => {
        const ever = await api.usage.query({ tenantId, measures: "requests" }, { signal });
        if ((ever.totals.requests ?? 0) === 0) {
          return { total: 0, rows: [] };
        }
        const { rows } = await api.usage.query(
          {
            tenantId,
            measures: "requests,latency_avg",
            dimensions: "method,route,status",
            grain: "minute",
            from: new Date(Date.now() - 3_600_000).toISOString(),
            order: "-time",
            limit: 5,
          },
          { signal },
        );
        return { total: ever.totals.requests ?? 0, rows };
      },
      staleTime: 0,
      refetchInterval: isWatching ? WATCH_MS : false,
    }),

  members: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["tenants", tenantId, "members", "count"],
      queryFn: async ({ signal }) =>
        (await api.tenants.listMembers({ tenantId, limit: 2 }, { signal })).items.length,
    }),
};

/** Remembers finished steps for every device. */
export async function saveProgress(
  api: ApiClient,
  tenantId: TenantId,
  progress: Progress,
): Promise<Progress> {
  const saved = await api.documents.put({
    tenantId,
    collection: COLLECTION,
    documentId: DOCUMENT,
    body: { finished: progress.finished },
    expectedRevision: progress.revision,
  });
  return toProgress(saved.body, saved.revision);
}
