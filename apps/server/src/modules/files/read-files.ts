import type { File } from "@turnpike/contract/files";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import type { ByteRange } from "./file-store.ts";
import { findFile, listFileRows } from "./files.store.ts";
import { toFileReply } from "./to-file-reply.ts";
import type { FilesDeps } from "./upload-file.ts";

/**
 * Lists a tenant's files, newest first; the cursor is the id of the last one.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` if the tenant does not exist.
 */
export async function listFiles(
  deps: FilesDeps,
  context: CallContext,
  input: { tenantId: TenantId; cursor?: string | undefined; limit: number },
): Promise<{ items: File[]; nextCursor: string | null }> {
  const { tenantId, cursor, limit } = input;
  assertMayInTenant(context.actor, "files:read", tenantId);
  const beforeId = parseIdCursor("file", cursor);
  const rows = await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    return await listFileRows(tx, tenantId, { beforeId, limit: limit + 1 });
  });
  const items = rows.slice(0, limit).map(toFileReply);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.fileId ?? null) : null };
}

/** @throws {AppError} `RESOURCE_NOT_FOUND` for a file that is missing or another tenant's. */
export async function getFile(
  deps: FilesDeps,
  context: CallContext,
  input: { tenantId: TenantId; fileId: string },
): Promise<File> {
  const { tenantId, fileId } = input;
  assertMayInTenant(context.actor, "files:read", tenantId);
  const row = await deps.transact.asTenant(tenantId, (tx) => findFile(tx, tenantId, fileId));
  if (row === undefined) {
    throw resourceNotFound("file");
  }
  return toFileReply(row);
}

/**
 * Opens a file that `getFile` has returned.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` if it was deleted meanwhile.
 */
export async function openFileContent(
  deps: FilesDeps,
  file: File,
  range: ByteRange | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  const content = await deps.fileStore.open(file.fileId, range);
  if (content === undefined) {
    throw resourceNotFound("file");
  }
  return content;
}
