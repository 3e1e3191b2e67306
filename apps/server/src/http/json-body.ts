import type { IncomingMessage } from "node:http";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { z } from "zod";
import { parseJson } from "#platform/parse-json.ts";
import { invalidRequest, isJsonType, readBody, toFieldErrors } from "./raw-route.ts";

/** @throws {AppError} `INVALID_REQUEST`: does not match the schema. */
export function parseBySchema<Schema extends z.ZodType>(
  value: unknown,
  schema: Schema,
): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    throw invalidRequest(toFieldErrors(parsed.error.issues));
  }
  return parsed.data;
}

/** @throws {AppError} `UNSUPPORTED_MEDIA_TYPE` for a body whose content type is not JSON. */
export function assertJsonType(req: IncomingMessage): void {
  const type = req.headers["content-type"];
  if (type !== undefined && type !== "application/json" && !isJsonType(type)) {
    throw new AppError({
      code: "UNSUPPORTED_MEDIA_TYPE",
      publicMessage: "Send the body as application/json.",
    });
  }
}

/**
 * Reads a JSON body by a schema of the contract.
 *
 * @throws {AppError} `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `INVALID_REQUEST` (not JSON, or not of the schema).
 */
export async function readJson<Schema extends z.ZodType>(
  req: IncomingMessage,
  schema: Schema,
  bytesMax: number,
): Promise<z.infer<Schema>> {
  assertJsonType(req);
  return parseBySchema(parseJson(await readBody(req, bytesMax)), schema);
}
