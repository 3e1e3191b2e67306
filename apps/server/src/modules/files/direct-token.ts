import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { FILE_BYTES_MAX, fileId, fileName } from "@turnpike/contract/files";
import { tenantId } from "@turnpike/contract/shapes";
import { FILE_MEDIA_TYPES } from "@turnpike/domain/files/media-type";
import { z } from "zod";

/** What an upload past the server was allowed to be. */
const directUpload = z.strictObject({
  tenantId,
  fileId,
  name: fileName,
  mediaType: z.enum(FILE_MEDIA_TYPES),
  bytes: z.int().min(0).max(FILE_BYTES_MAX),
  /** In hexadecimal digits. */
  sha256: z.string(),
  expiresAtMs: z.int(),
});
export type DirectUpload = z.output<typeof directUpload>;

const KEY_BYTES = 32;

function sign(secret: string, content: string): Buffer {
  const key = hkdfSync("sha256", secret, "", "turnpike: uploads of files", KEY_BYTES);
  return createHmac("sha256", new Uint8Array(key)).update(content).digest();
}

/** Writes down what was allowed, so that nothing of an upload is kept until it has arrived. */
export function toUploadToken(secret: string, upload: DirectUpload): string {
  const content = Buffer.from(JSON.stringify(upload)).toString("base64url");
  return `${content}.${sign(secret, content).toString("base64url")}`;
}

/** @returns Undefined for a token that was not made with this secret. */
export function parseUploadToken(secret: string, token: string): DirectUpload | undefined {
  const [content = "", signature = ""] = token.split(".", 2);
  const given = Buffer.from(signature, "base64url");
  const expected = sign(secret, content);
  return given.length === expected.length && timingSafeEqual(given, expected)
    ? directUpload.parse(JSON.parse(Buffer.from(content, "base64url").toString()))
    : undefined;
}
