import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError, type FieldError } from "@turnpike/domain/errors/app-error";
import type { z } from "zod";
import type { HttpContext } from "./http-context.ts";

export type RawCall = {
  req: IncomingMessage;
  res: ServerResponse;
  params: Readonly<Record<string, string>>;
  context: HttpContext;
  /** Answers an error from a callback, as if the route had thrown it. */
  fail(error: unknown): void;
};

/**
 * A route on plain node:http, for the hot path, streams and uploads: what a contract library would slow down or cannot
 * express.
 */
export type RawRoute = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Such as `/v1/tenants/{tenantId}/files`; a name in braces takes one segment. */
  path: string;
  /** True for a route that answers by `sendHotJson`, which also writes the headers that every answer has. */
  isHot?: true;
  /** May be synchronous: a needless promise costs a hot route as much as its lookups. */
  handle(call: RawCall): Promise<void> | void;
};

/** Headers of every answer of the listener for people, besides its request id. */
export const BASE_HEADERS = [
  // Shorter than the silence after which the listener closes, so that a client which obeys it never writes into a closed
  // connection. Without this header Node's fetch drops connections after four seconds.
  "keep-alive",
  "timeout=60",
  "x-content-type-options",
  "nosniff",
  "referrer-policy",
  "no-referrer",
] as const;

/** Sets the headers that every answer has, on an answer that has not begun. */
export function setBaseHeaders(res: ServerResponse, requestId: string): void {
  res.setHeader("x-request-id", requestId);
  for (let at = 0; at < BASE_HEADERS.length; at += 2) {
    res.setHeader(BASE_HEADERS[at] ?? "", BASE_HEADERS[at + 1] ?? "");
  }
}

/** The query of a request, for the routes that have one: parsing addresses is not for the hot path. */
export function readQuery(req: IncomingMessage): URLSearchParams {
  const target = req.url ?? "/";
  const queryAt = target.indexOf("?");
  return new URLSearchParams(queryAt === -1 ? "" : target.slice(queryAt));
}

/** No client is left to answer, and nothing went wrong here. */
export class ClientLeftError extends Error {
  constructor(options?: ErrorOptions) {
    super("The client left before its body was read.", options);
    this.name = "ClientLeftError";
  }
}

export function bodyTooLarge(bytesMax: number): AppError {
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
 * @param onBytes - Hears how many bytes there are before they are kept; what it throws ends the reading.
 * @throws {AppError} `PAYLOAD_TOO_LARGE`. @throws {ClientLeftError}
 */
export function readBody(
  req: IncomingMessage,
  bytesMax: number,
  onBytes: (length: number) => void = () => undefined,
): Promise<Buffer> {
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
        return;
      }
      try {
        onBytes(length);
        chunks.push(chunk);
      } catch (error) {
        req.pause();
        reject(error);
      }
    });
    req.on("end", () => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
    });
    req.on("error", (error) => reject(new ClientLeftError({ cause: error })));
    // A client that left before this listener was added causes no further event.
    if (req.destroyed) {
      reject(new ClientLeftError());
    }
  });
}

/**
 * Waits for the end of a body that is not needed. What is done for a request before its body has come is done for one that may
 * turn out to be no HTTP.
 *
 * @throws {ClientLeftError}
 */
export function discardBody(req: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    req.on("end", resolve);
    req.on("error", (error) => reject(new ClientLeftError({ cause: error })));
    if (req.destroyed) {
      reject(new ClientLeftError());
    }
    req.resume();
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

/** Answers JSON that no cache may store. */
export function sendJson(res: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  res.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(text),
  });
  res.end(text);
}
