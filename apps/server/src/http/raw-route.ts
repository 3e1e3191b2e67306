import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError, type FieldError } from "@turnpike/domain/errors/app-error";
import type { z } from "zod";
import type { HttpContext } from "./http-context.ts";

export type RawCall = {
  req: IncomingMessage;
  res: ServerResponse;
  params: Readonly<Record<string, string>>;
  context: HttpContext;
};

/**
 * A route on plain node:http, for the hot path, streams and uploads: what a contract library would slow down or cannot
 * express.
 */
export type RawRoute = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Such as `/v1/tenants/{tenantId}/files`; a name in braces takes one segment. */
  path: string;
  handle(call: RawCall): Promise<void>;
};

/** The query of a request, for the routes that have one: parsing addresses is not for the hot path. */
export function readQuery(req: IncomingMessage): URLSearchParams {
  const target = req.url ?? "/";
  const queryAt = target.indexOf("?");
  return new URLSearchParams(queryAt === -1 ? "" : target.slice(queryAt));
}

function bodyTooLarge(bytesMax: number): AppError {
  return new AppError({
    code: "PAYLOAD_TOO_LARGE",
    publicMessage: `The body may have at most ${String(bytesMax)} bytes.`,
    headers: { connection: "close" },
  });
}

/**
 * Reads a body of at most `bytesMax` bytes. By events: the stream's async iterator costs a hot route a tenth of its time, and
 * ends the connection of a body that is too large before the answer is out.
 *
 * @throws {AppError} `PAYLOAD_TOO_LARGE`. @throws when the client leaves before the end.
 */
export function readBody(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(req.headers["content-length"] ?? 0) > bytesMax) {
    return Promise.reject(bodyTooLarge(bytesMax));
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    req.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytesMax) {
        req.pause();
        reject(bodyTooLarge(bytesMax));
      } else {
        chunks.push(chunk);
      }
    });
    req.once("end", () => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
    });
    req.once("error", reject);
    // A client that left before anybody listened is heard of no more.
    if (req.destroyed) {
      reject(new Error("The client left before its body was read."));
    }
  });
}

/** True for `application/json`, with parameters or without; not for types that only begin like it. */
export function isJsonType(contentType: string): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType);
}

const FIELD_ERRORS_MAX = 50;

/** A JSON pointer (RFC 6901): the whole body is the empty text. */
function toPointer(path: readonly PropertyKey[]): string {
  return path
    .map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/** Zod's findings as the `errors` of a problem document. */
export function toFieldErrors(issues: readonly z.core.$ZodIssue[]): FieldError[] {
  return issues
    .slice(0, FIELD_ERRORS_MAX)
    .flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys
            .slice(0, FIELD_ERRORS_MAX)
            .map((key) => ({ pointer: toPointer([...issue.path, key]), message: "Unknown name." }))
        : [{ pointer: toPointer(issue.path), message: issue.message }],
    );
}

export function invalidRequest(errors: readonly FieldError[]): AppError {
  const first = errors[0];
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage:
      first === undefined
        ? "The request has invalid values."
        : first.pointer === ""
          ? `Invalid value: ${first.message}`
          : `Invalid value at ${first.pointer}: ${first.message}`,
    errors,
  });
}

/**
 * Parses a JSON body by a schema of the contract.
 *
 * @throws {AppError} `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `INVALID_REQUEST` (not JSON, or not of the schema).
 */
export async function readJson<Schema extends z.ZodType>(
  req: IncomingMessage,
  schema: Schema,
  bytesMax: number,
): Promise<z.infer<Schema>> {
  const type = req.headers["content-type"];
  if (type !== undefined && !isJsonType(type)) {
    throw new AppError({
      code: "UNSUPPORTED_MEDIA_TYPE",
      publicMessage: "Send the body as application/json.",
    });
  }
  const body = await readBody(req, bytesMax);
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "The body is not JSON.",
      errors: [{ pointer: "", message: "Not JSON." }],
      cause: error,
    });
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    throw invalidRequest(toFieldErrors(parsed.error.issues));
  }
  return parsed.data;
}

/** Answers JSON that no cache may keep. */
export function sendJson(res: ServerResponse, status: number, value: unknown): void {
  sendJsonText(res, status, JSON.stringify(value));
}

/** Answers JSON that was written before, byte for byte. */
export function sendJsonText(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(text),
  });
  res.end(text);
}
