import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { deleteFileRow } from "./files.store.ts";
import type { FilesDeps } from "./upload-file.ts";

/**
 * Deletes a file. From the commit on it cannot be read. Its bytes are deleted afterwards, at the latest by the sweep.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` for a file that is missing or another tenant's.
 */
export async function deleteFile(
  deps: FilesDeps,
  context: CallContext,
  input: { tenantId: TenantId; fileId: string },
): Promise<void> {
  const { tenantId, fileId } = input;
  assertMayInTenant(context.actor, "files:write", tenantId);
  await deps.transact.asTenant(tenantId, async (tx) => {
    if (!(await deleteFileRow(tx, tenantId, fileId))) {
      throw resourceNotFound("file");
    }
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "file.deleted",
      entityType: "file",
      entityId: fileId,
    });
  });
  await deps.fileStore.delete(fileId).catch((error: unknown) => {
    deps.logger.warn({ err: error, fileId }, "the bytes of a deleted file are left to the sweep");
  });
}
