import type { File } from "@turnpike/contract/files";
import type { FileRow } from "./files.store.ts";

export function toFileReply(row: FileRow): File {
  return {
    fileId: row.file_id,
    tenantId: row.tenant_id,
    name: row.name,
    mediaType: row.media_type,
    bytes: Number(row.bytes),
    sha256: Buffer.from(row.sha256).toString("hex"),
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
  };
}
