/** Turnpike could not be reached within the deadline, or could not decide. It is unknown whether the key is valid. */
export class TurnpikeUnavailableError extends Error {
  override readonly name = "TurnpikeUnavailableError";
  /** What the server asked to wait, in milliseconds; 0 when it did not. */
  readonly retryAfterMs: number;
  /** Code of the problem document, such as `IDEMPOTENCY_KEY_IN_USE`; empty when there was none. */
  readonly code: string;
  constructor(
    message: string,
    options: { retryAfterMs?: number; code?: string; cause?: unknown } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : {});
    this.retryAfterMs = options.retryAfterMs ?? 0;
    this.code = options.code ?? "";
  }
}

/**
 * True when Turnpike itself said that the same call is under way, from an attempt that was given up on: it is there, and the
 * answer to that attempt will be this call's.
 */
export function isUnderWay(error: TurnpikeUnavailableError): boolean {
  return error.code === "IDEMPOTENCY_KEY_IN_USE";
}

/** Turnpike refused the request itself: a wrong service key, a value out of range. Retrying cannot help. */
export class TurnpikeRequestError extends Error {
  override readonly name = "TurnpikeRequestError";
  readonly status: number;
  /** Code of the problem document, such as `INVALID_REQUEST`. */
  readonly code: string;
  constructor(message: string, { status, code }: { status: number; code: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
