import { createHash } from "node:crypto";
import type { File, FileUpload } from "@turnpike/contract/files";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { FileMediaType } from "@turnpike/domain/files/media-type";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { checkContent } from "./check-content.ts";
import { toAttachmentHeaders } from "./content-headers.ts";
import { type DirectUpload, parseUploadToken, toUploadToken } from "./direct-token.ts";
import type { DirectTransfers } from "./file-store.ts";
import { findFile } from "./files.store.ts";
import { getFile } from "./read-files.ts";
import { toFileReply } from "./to-file-reply.ts";
import { assertRoomFor, type FilesDeps, recordFile } from "./upload-file.ts";

/** Far below the hour after which bytes without a row are swept. */
const GOOD_FOR_SECONDS = 15 * 60;

function getDirect({ fileStore }: FilesDeps): DirectTransfers {
  if (fileStore.direct === undefined) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage:
        "The files of this installation are not in a bucket: send and fetch them through the API.",
    });
  }
  return fileStore.direct;
}

const toExpiry = ({ clock }: FilesDeps) =>
  new Date(clock.now().getTime() + GOOD_FOR_SECONDS * 1_000);

/**
 * Makes an address to which one file may be sent past the server. The store takes it only with the length, type and hash that are
 * given here. The file is not there before the upload is completed.
 *
 * @throws {AppError} `CONFLICT` where files are not in a bucket that takes conditional writes, and as `uploadFile` for a tenant without room.
 */
export async function createUpload(
  deps: FilesDeps,
  context: CallContext,
  input: {
    tenantId: TenantId;
    name: string;
    mediaType: FileMediaType;
    bytes: number;
    sha256: string;
  },
): Promise<FileUpload> {
  const { tenantId, bytes } = input;
  assertMayInTenant(context.actor, "files:write", tenantId);
  const direct = getDirect(deps);
  await assertRoomFor(deps, { tenantId, added: bytes });
  const fileId = deps.newId("file");
  const signed = await direct.signUpload(fileId, {
    bytes,
    mediaType: input.mediaType,
    sha256: Buffer.from(input.sha256, "hex"),
    expiresInSeconds: GOOD_FOR_SECONDS,
  });
  if (signed === undefined) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage:
        "The bucket of this installation takes no conditional writes, so an address could be used twice: send files through the API.",
    });
  }
  const expiresAt = toExpiry(deps);
  const token = toUploadToken(deps.signingSecret, {
    ...input,
    fileId,
    expiresAtMs: expiresAt.getTime(),
  });
  return { method: "PUT", ...signed, token, expiresAt: expiresAt.toISOString() };
}

/** @throws {AppError} `UNSUPPORTED_MEDIA_TYPE`, `CONFLICT` for content that is not what was allowed; its bytes are deleted. */
async function assertAsAllowed(deps: FilesDeps, upload: DirectUpload): Promise<void> {
  const content = await deps.fileStore.open(upload.fileId);
  if (content === undefined) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "The content has not arrived: send it to the address first.",
    });
  }
  try {
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const part of checkContent(upload.mediaType, content)) {
      bytes += part.byteLength;
      hash.update(part);
    }
    if (bytes !== upload.bytes || hash.digest("hex") !== upload.sha256) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: "The content is not the one that was announced. It was deleted.",
      });
    }
  } catch (error) {
    if (error instanceof AppError) {
      // If this fails, the sweep deletes the bytes.
      await deps.fileStore.delete(upload.fileId).catch(() => undefined);
    }
    throw error;
  }
}

/**
 * Makes a file of what was sent to an address of `createUpload`, after checking it as any other upload. A repeated call gets the
 * same file.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` for an upload that was not made here, is another tenant's or has expired; `CONFLICT` for
 *   one whose content has not arrived or differs; and as `uploadFile`.
 */
export async function completeUpload(
  deps: FilesDeps,
  context: CallContext,
  input: { tenantId: TenantId; token: string },
): Promise<File> {
  const { tenantId, token } = input;
  assertMayInTenant(context.actor, "files:write", tenantId);
  const upload = parseUploadToken(deps.signingSecret, token);
  if (upload?.tenantId !== tenantId || upload.expiresAtMs <= deps.clock.now().getTime()) {
    throw resourceNotFound("upload");
  }
  const { fileId } = upload;
  const findRow = () => deps.transact.asTenant(tenantId, (tx) => findFile(tx, tenantId, fileId));
  const known = await findRow();
  if (known !== undefined) {
    return toFileReply(known);
  }
  await assertAsAllowed(deps, upload);
  const row = {
    tenant_id: tenantId,
    file_id: fileId,
    name: upload.name,
    media_type: upload.mediaType,
    bytes: BigInt(upload.bytes),
    sha256: Buffer.from(upload.sha256, "hex"),
    created_at: deps.clock.now(),
    created_by: context.actor.id,
  };
  return await recordFile(deps, context, row);
}

/**
 * Makes an address at which anyone who has it can read one file past the server, for a quarter of an hour.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `CONFLICT` where the file is not in a bucket.
 */
export async function createFileDownload(
  deps: FilesDeps,
  context: CallContext,
  input: { tenantId: TenantId; fileId: string },
): Promise<{ url: string; expiresAt: string }> {
  const file = await getFile(deps, context, input);
  const url = await getDirect(deps).signDownload(file.fileId, {
    mediaType: file.mediaType,
    disposition: String(toAttachmentHeaders(file)["content-disposition"]),
    expiresInSeconds: GOOD_FOR_SECONDS,
  });
  if (url === undefined) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "This file is not in the bucket yet: fetch it through the API.",
    });
  }
  return { url, expiresAt: toExpiry(deps).toISOString() };
}
