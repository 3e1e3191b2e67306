import { FILE_MEDIA_TYPES } from "@turnpike/domain/files/media-type";
import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayName, instant, pageOf, pageQuery, tenantId } from "./shapes.ts";

/** The largest size of one file. */
export const FILE_BYTES_MAX = 5 * 1024 * 1024;

export const fileId = z
  .string()
  .refine((value) => isId("file", value), {
    error: "Not the id of a file; it looks like file_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["file_0199f3b0c1d27a4e8f60112233445566"] });

/** A name for people, never a path. */
export const fileName = displayName(200, { mayHoldAddress: true }).refine(
  (value) => !/[/\\]/.test(value) && value !== "." && value !== "..",
  "Must not contain slashes.",
);

export const file = z.strictObject({
  fileId: z.string(),
  tenantId,
  name: z.string(),
  mediaType: z.enum(FILE_MEDIA_TYPES),
  bytes: z.number().int(),
  /** In hexadecimal digits. */
  sha256: z.string(),
  createdAt: instant,
  createdBy: z.string(),
});
export type File = z.infer<typeof file>;

const tags = ["Files"];

/** There are also plain routes: `PUT …/files?name=` uploads, `GET …/files/{fileId}/content` downloads. */
export const filesContract = {
  list: operation({ scope: "files:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/files",
      summary: "List files, newest first",
      tags,
    })
    .input(z.strictObject({ tenantId, ...pageQuery }))
    .output(pageOf(file)),
  get: operation({ scope: "files:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/files/{fileId}",
      summary: "Get the metadata of a file",
      tags,
    })
    .input(z.strictObject({ tenantId, fileId }))
    .output(file),
  delete: operation({ scope: "files:write" })
    .route({
      method: "DELETE",
      path: "/tenants/{tenantId}/files/{fileId}",
      successStatus: 204,
      summary: "Delete a file",
      tags,
    })
    .input(z.strictObject({ tenantId, fileId })),
};
