import { t } from "@lingui/core/macro";
import { findInLanguage } from "./server-words/server-words.ts";
import { toWebAddress } from "./web-address.ts";

/** What the console says when a failure says nothing itself. */
export const UNKNOWN_FAILURE = t`Something went wrong`;

/** One thing that is wrong with a request: `pointer` (RFC 6901) finds the field. */
export type FieldError = { pointer: string; message: string; fix?: string };

/** A failed request, with the message that a person may read. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  /** HTTP status; undefined when no answer arrived. */
  readonly status: number | undefined;
  /** The answer's error code; undefined when the body has none. */
  readonly code: string | undefined;
  /** Finds the request in the server's log. */
  readonly requestId: string | undefined;
  /** The answer's body as it came; undefined when no answer arrived or it was no JSON. */
  readonly body: unknown;
  readonly fieldErrors: readonly FieldError[];
  /** Where the tenant of the request lives: the console of another cell. Undefined for every other failure. */
  readonly otherConsole: string | undefined;
  /** After how many seconds the server wants to be asked again; undefined when it does not say. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    const body = readBody(cause);
    this.status = readStatus(cause);
    this.body = body;
    this.code = readText(body, "code");
    this.requestId = readText(body, "requestId");
    this.fieldErrors = readFieldErrors(body);
    this.otherConsole =
      this.code === "TENANT_ELSEWHERE" ? toWebAddress(readText(body, "consoleUrl")) : undefined;
    this.retryAfterSeconds = readNumber(cause, "retryAfterSeconds");
  }
}

/**
 * Chooses the sentence that a person reads about a failed request: the body's `error`, else its `message`, else the
 * transport's message, else "Something went wrong". What the server says is in the language of the page; where a sentence is not
 * known in it, the title of its code is, with the server's English behind it.
 *
 * @param cause - What the client threw; an oRPC error carries a foreign body at `data.body`.
 * @see spec.md §8, "Failed backend request".
 */
export function toErrorMessage(cause: unknown): string {
  if (cause instanceof RequestError) {
    return cause.message;
  }
  const body = readBody(cause);
  const said = readText(body, "error") ?? readText(body, "message");
  return said === undefined
    ? (readText(cause, "message") ?? UNKNOWN_FAILURE)
    : toSentence(said, readText(body, "title"));
}

function toSentence(said: string, title: string | undefined): string {
  const known = findInLanguage(said);
  if (known !== undefined) {
    return known;
  }
  const about = title === undefined ? undefined : findInLanguage(title);
  return about === undefined ? said : t`${about} (the server says: “${said}”)`;
}

/** Throws a failed request again, with its message replaced by the one for people. */
export function rethrowReadable(cause: unknown): never {
  if (cause instanceof RequestError || isAbort(cause)) {
    throw cause;
  }
  throw new RequestError(toErrorMessage(cause), cause);
}

/** A request that the page itself ended has not failed. */
function isAbort(cause: unknown): boolean {
  return cause instanceof DOMException && cause.name === "AbortError";
}

function readBody(cause: unknown): unknown {
  return readMember(readMember(cause, "data"), "body");
}

function readStatus(cause: unknown): number | undefined {
  return readNumber(cause, "status");
}

function readNumber(holder: unknown, name: string): number | undefined {
  const value = readMember(holder, name);
  return typeof value === "number" ? value : undefined;
}

function readText(holder: unknown, name: string): string | undefined {
  const value = readMember(holder, name);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function readFieldErrors(body: unknown): readonly FieldError[] {
  const errors = readMember(body, "errors");
  if (!Array.isArray(errors)) {
    return [];
  }
  return errors.flatMap((entry: unknown) => {
    const pointer = readMember(entry, "pointer");
    const message = readText(entry, "message");
    const fix = readText(entry, "fix");
    return typeof pointer === "string" && message !== undefined
      ? [
          {
            pointer,
            message: findInLanguage(message) ?? message,
            ...(fix === undefined ? {} : { fix: findInLanguage(fix) ?? fix }),
          },
        ]
      : [];
  });
}

function readMember(holder: unknown, name: string): unknown {
  return typeof holder === "object" && holder !== null ? Reflect.get(holder, name) : undefined;
}
