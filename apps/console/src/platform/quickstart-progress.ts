import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "./api-client.ts";
import type { OwnTenant } from "./current-tenant.ts";

type TenantId = OwnTenant["tenantId"];

/** The way from nothing to a paid call, in order. */
export const STEP_IDS = ["tenant", "key", "call", "arrival", "next"] as const;
export type StepId = (typeof STEP_IDS)[number];

export function isStepId(value: unknown): value is StepId {
  return STEP_IDS.some((id) => id === value);
}

const COLLECTION = "progress";
const DOCUMENT = "quickstart";

export type Progress = {
  finished: readonly StepId[];
  /** Guards a write against steps finished elsewhere in the meantime; "0" for none yet. */
  revision: string;
};

function toProgress(body: Record<string, unknown>, revision: string): Progress {
  const finished = body["finished"];
  return { finished: Array.isArray(finished) ? finished.filter(isStepId) : [], revision };
}

/** Steps that were finished on any device. Listed, because before the first one there is no document to get. */
export function progressQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
    queryKey: ["documents", tenantId, COLLECTION],
    queryFn: async ({ signal }): Promise<Progress> => {
      const { items } = await api.documents.list({ tenantId, collection: COLLECTION }, { signal });
      const found = items.find(({ documentId }) => documentId === DOCUMENT);
      return found === undefined
        ? { finished: [], revision: "0" }
        : toProgress(found.body, found.revision);
    },
  });
}

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
