/** Turnpike could not be asked within the deadline, or could not decide. Nobody knows whether the key is good. */
export class TurnpikeUnavailableError extends Error {
  override readonly name = "TurnpikeUnavailableError";
  /** What the server asked to wait, in milliseconds; 0 when it did not. */
  readonly retryAfterMs: number;
  constructor(message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : {});
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}

/** Turnpike refused the question itself: a wrong service key, a value out of range. Asking again cannot help. */
export class TurnpikeRequestError extends Error {
  override readonly name = "TurnpikeRequestError";
  readonly status: number;
  /** Code of the problem document, such as `INVALID_REQUEST`; empty when there was none. */
  readonly code: string;
  constructor(message: string, { status, code }: { status: number; code: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
