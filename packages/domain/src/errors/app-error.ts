import type { ErrorCode } from "./error-codes.ts";

/**
 * One thing wrong with the input. `pointer` is a JSON pointer into the body; a parameter of the query, the path or a header
 * is named by its own name, such as `/cursor`.
 */
export type FieldError = { pointer: string; message: string; fix?: string };

export type AppErrorInput = {
  code: ErrorCode;
  /** One sentence for the caller. Never a stack, a query or another tenant's fact. */
  publicMessage: string;
  errors?: readonly FieldError[];
  /** Further top-level members of the problem document, such as `limit` or `resetAt`. */
  extensions?: Readonly<Record<string, unknown>>;
  /** Response headers that belong to the failure, such as `Retry-After`. */
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
};

/**
 * A failure with a stable code. Only `http/problem-details.ts` turns it into a reply; `message` (the
 * public sentence) reaches the caller, `cause` only the log.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(input: AppErrorInput) {
    super(input.publicMessage, input.cause === undefined ? undefined : { cause: input.cause });
    this.code = input.code;
    this.errors = input.errors ?? [];
    this.extensions = input.extensions ?? {};
    this.headers = input.headers ?? {};
  }
}

/** The answer for what is missing and for what the caller may not see: the two must not differ. */
export function resourceNotFound(noun: string): AppError {
  return new AppError({
    code: "RESOURCE_NOT_FOUND",
    publicMessage: `There is no such ${noun}.`,
  });
}
