import { FILE_BYTES_MAX, type File } from "@turnpike/contract/files";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { FileMediaType } from "@turnpike/domain/files/media-type";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { lockCountOf } from "#platform/count-lock.store.ts";
import type { StorageGuard } from "#platform/storage-guard.ts";
import { checkContent } from "./check-content.ts";
import { type FileStore, FileTooLargeError, StorageFullError } from "./file-store.ts";
import { countFiles, type FileRow, findFile, insertFile } from "./files.store.ts";
import { toFileReply } from "./to-file-reply.ts";

export type FilesDeps = AppServices & {
  fileStore: FileStore;
  /** Signs what an upload past the server may be. Every process of an installation has the same. */
  signingSecret: string;
  /** Bytes of all files of a tenant. Left out: as many as its files may have. */
  tenantBytesMax?: number;
  /** Asked before a file is stored. Left out: there is always room. */
  assertMayStore?: StorageGuard["assertMayStore"];
};

export type UploadFileInput = {
  tenantId: TenantId;
  name: string;
  mediaType: FileMediaType;
  content: AsyncIterable<Uint8Array>;
};

/** Enough for a tenant's logo, invoices and exports. Without a bound, one key could fill the disk. */
const FILES_PER_TENANT_MAX = 1_000;

function toUploadError(error: unknown): unknown {
  if (error instanceof FileTooLargeError) {
    return new AppError({
      code: "PAYLOAD_TOO_LARGE",
      publicMessage: `A file may have at most ${String(FILE_BYTES_MAX)} bytes.`,
      cause: error,
    });
  }
  if (error instanceof StorageFullError) {
    return new AppError({
      code: "STORAGE_FULL",
      publicMessage: "There is no room to store the file. Nothing was stored.",
      cause: error,
    });
  }
  return error;
}

async function assertRoom(
  tx: Tx,
  tenantId: TenantId,
  { tenantBytesMax = Number.POSITIVE_INFINITY, added }: { tenantBytesMax?: number; added: number },
): Promise<void> {
  const present = await countFiles(tx, tenantId);
  if (present === undefined) {
    throw resourceNotFound("tenant");
  }
  if (Number(present.bytes) + added > tenantBytesMax) {
    throw new AppError({
      code: "STORAGE_QUOTA_REACHED",
      publicMessage: `The files of a tenant may have at most ${String(tenantBytesMax)} bytes together. Delete some first.`,
    });
  }
  if (present.count >= FILES_PER_TENANT_MAX) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `A tenant may keep at most ${String(FILES_PER_TENANT_MAX)} files. Delete some first.`,
    });
  }
}

/**
 * Stores a file of at most 5 MB.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`, `RESOURCE_NOT_FOUND` (no such tenant), `CONFLICT` (1,000 files already),
 *   `STORAGE_QUOTA_REACHED`, `UNSUPPORTED_MEDIA_TYPE` (the content does not match its type), `PAYLOAD_TOO_LARGE`, `STORAGE_FULL`. Then nothing is stored.
 */
export async function uploadFile(
  deps: FilesDeps,
  context: CallContext,
  input: UploadFileInput,
): Promise<File> {
  const { tenantId } = input;
  assertMayInTenant(context.actor, "files:write", tenantId);
  // Before the bytes are taken, and again when they are added.
  await assertRoomFor(deps, { tenantId, added: 1 });
  const fileId = deps.newId("file");
  const stored = await deps.fileStore
    .put(fileId, checkContent(input.mediaType, input.content), {
      bytesMax: FILE_BYTES_MAX,
      mediaType: input.mediaType,
    })
    .catch((error: unknown) => {
      throw toUploadError(error);
    });
  const row: FileRow = {
    tenant_id: tenantId,
    file_id: fileId,
    name: input.name,
    media_type: input.mediaType,
    bytes: BigInt(stored.bytes),
    sha256: stored.sha256,
    created_at: deps.clock.now(),
    created_by: context.actor.id,
  };
  return await recordFile(deps, context, row);
}

/** Whether a tenant may store so many bytes more now. @throws {AppError} As `uploadFile`. */
export async function assertRoomFor(
  deps: FilesDeps,
  { tenantId, added }: { tenantId: TenantId; added: number },
): Promise<void> {
  await deps.assertMayStore?.(tenantId);
  await deps.transact.asTenant(tenantId, (tx) => assertRoom(tx, tenantId, { ...deps, added }));
}

/**
 * Makes a file of bytes that are stored.
 *
 * @throws {AppError} As `uploadFile`; then the bytes are deleted.
 */
export async function recordFile(
  deps: FilesDeps,
  context: CallContext,
  row: FileRow,
): Promise<File> {
  const { tenant_id: tenantId, file_id: fileId } = row;
  const bytes = Number(row.bytes);
  try {
    await deps.transact.asTenant(tenantId, async (tx) => {
      await lockCountOf(tx, "files", tenantId);
      // Of two calls that complete one upload, the later one.
      if ((await findFile(tx, tenantId, fileId)) !== undefined) {
        return;
      }
      await assertRoom(tx, tenantId, { ...deps, added: bytes });
      if (!(await insertFile(tx, tenantId, row))) {
        throw resourceNotFound("tenant");
      }
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "file.uploaded",
        entityType: "file",
        entityId: fileId,
        details: { name: row.name, mediaType: row.media_type, bytes },
      });
    });
  } catch (error) {
    // If this fails too, the sweep deletes the bytes.
    await deps.fileStore.delete(fileId).catch(() => undefined);
    throw error;
  }
  return toFileReply(row);
}
