import { toPlainLine } from "@turnpike/domain/text/plain-text";
import type { Directory, ScimDeps } from "./scim-deps.ts";
import { insertScimRequest } from "./scim-requests.store.ts";

const SUBJECT_LENGTH_MAX = 255;
const OPERATION_LENGTH_MAX = 40;

/** Keeps a change of a directory, or why it was refused, for the owners of the tenant. Older ones go when there are too many. */
export async function keepScimRequest(
  deps: ScimDeps,
  { tenantId, requestId }: Directory,
  request: {
    /** Such as `POST /Users`. */
    operation: string;
    status: number;
    /** The person or group, if that was understood. */
    subject?: string | undefined;
    detail?: string | undefined;
  },
): Promise<void> {
  const { operation, status, subject, detail } = request;
  await deps.transact.asOperator(
    (tx) =>
      insertScimRequest(tx, {
        tenant_id: tenantId,
        request_id: requestId,
        occurred_at: deps.clock.now(),
        operation: toPlainLine(operation, OPERATION_LENGTH_MAX),
        subject: subject === undefined ? null : toPlainLine(subject, SUBJECT_LENGTH_MAX),
        status,
        detail: detail ?? null,
      }),
    { holder: tenantId },
  );
}
