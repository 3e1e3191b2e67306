/** The database did not answer in time; what was asked of it may yet happen. */
export class DatabaseTimeoutError extends Error {
  override readonly name = "DatabaseTimeoutError";
  readonly code = "ETIMEDOUT";
}

/** The five-character SQLSTATE of an error of the database, or a code of the connection such as `ECONNREFUSED`. */
export function databaseErrorCode(error: unknown): string | undefined {
  if (typeof error === "object" && error !== null && "code" in error) {
    return typeof error.code === "string" ? error.code : undefined;
  }
  return undefined;
}

const CONNECTION_ERRORS = new Set([
  // The server ended a session that stalled in a transaction.
  "25P03",
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);

/**
 * True when the database could not be reached or is shutting down or starting, so that the outcome of a write is not
 * known and the same write, made idempotent by its id, should be tried again.
 */
export function isConnectionError(error: unknown): boolean {
  const code = databaseErrorCode(error);
  if (code === undefined) {
    return false;
  }
  // All that the system may have against a connection: `ENOENT` of a Unix socket whose server is down, `EAGAIN` of one whose
  // server has stalled, `EMFILE` of a process that has no file left. For files the same codes mean something else.
  if (error instanceof Error && "syscall" in error && error.syscall === "connect") {
    return true;
  }
  return CONNECTION_ERRORS.has(code) || code.startsWith("08") || code.startsWith("57P");
}

/** True when the server is there and starts or recovers: it refuses connections until it is done. */
export function isServerNotReady(error: unknown): boolean {
  return databaseErrorCode(error) === "57P03";
}

const RETRYABLE_STATES = new Set(["40001", "40P01", "55P03", "57014"]);

/** True for a deadlock, a serialisation failure, a lock time-out or a cancelled statement: nothing was written. */
export function isRetryableError(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code !== undefined && RETRYABLE_STATES.has(code);
}

/** Classes 21 to 23 and 54: the values themselves are refused (out of range, against a constraint, too large). */
const DATA_REFUSED = /^(?:21|22|23|54)[0-9A-Z]{3}$/;

/**
 * True when it is the data that is refused, by the database or by our own code on the way to it, so that trying again cannot
 * help. False for everything that passes: an outage, a full disk, a standby that takes no writes, a changed password.
 */
export function isDataError(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code === undefined || code === "UNDEFINED_VALUE" || DATA_REFUSED.test(code);
}

/** True when a unique constraint refused the row. */
export function isUniqueViolation(error: unknown): boolean {
  return databaseErrorCode(error) === "23505";
}

/** True when a row was refused because its tenant does not exist, or is deleted. */
export function isTenantMissing(error: unknown): boolean {
  return databaseErrorCode(error) === "TP404";
}
