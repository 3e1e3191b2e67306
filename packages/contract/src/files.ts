import { FILE_MEDIA_TYPES } from "@turnpike/domain/files/media-type";
import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayName, instant, pageOf, pageQuery, plainText, tenantId } from "./shapes.ts";

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

/** An address to send a file to, past the API. */
export const fileUpload = z.strictObject({
  method: z.literal("PUT"),
  url: z.url(),
  /** To be sent as they are, beside `Content-Length`. */
  headers: z.record(z.string(), z.string()),
  /** Completes the upload once the content was sent. */
  token: z.string(),
  expiresAt: instant,
});
export type FileUpload = z.infer<typeof fileUpload>;

const SHA256 = /^[0-9a-f]{64}$/;
const TOKEN_LENGTH_MAX = 4_000;

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
  createUpload: operation({ scope: "files:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/files/uploads",
      successStatus: 201,
      summary: "Create an address to send a file to, straight into the bucket",
      description:
        "Where files are kept in a bucket. The address takes this one content for 15 minutes; the file is there once the upload is completed.",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        name: fileName,
        mediaType: z.enum(FILE_MEDIA_TYPES),
        bytes: z.int().min(0).max(FILE_BYTES_MAX),
        sha256: z
          .string()
          .regex(SHA256, "64 hexadecimal digits in small letters.")
          .describe("SHA-256 of the content."),
      }),
    )
    .output(fileUpload),
  completeUpload: operation({ scope: "files:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/files/uploads/complete",
      successStatus: 201,
      summary: "Make a file of what was sent to the address of an upload",
      description:
        "The content is checked as any other upload. A repeated call gets the same file.",
      tags,
    })
    .input(z.strictObject({ tenantId, token: plainText(TOKEN_LENGTH_MAX).min(1) }))
    .output(file),
  createDownload: operation({ scope: "files:read", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/files/{fileId}/download",
      summary: "Create an address to fetch a file from, straight from the bucket",
      description:
        "Where files are kept in a bucket. It is good for 15 minutes, without a credential.",
      tags,
    })
    .input(z.strictObject({ tenantId, fileId }))
    .output(z.strictObject({ url: z.url(), expiresAt: instant })),
};
