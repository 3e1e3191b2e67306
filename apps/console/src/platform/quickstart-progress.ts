import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "./api-client.ts";
import type { OwnTenant } from "./current-tenant.ts";
import { RequestError } from "./error-message.ts";

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

/** Steps that were finished on any device. */
export function progressQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
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
