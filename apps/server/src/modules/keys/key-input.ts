import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";

/**
 * Lets nobody give a key what they do not hold themselves.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export function assertScopesHeld(context: CallContext, scopes: readonly string[]): void {
  const { actor } = context;
  if (actor.type !== "key" && actor.type !== "service_key") {
    return;
  }
  const missing = scopes.find((scope) => !actor.scopes.some((held) => held === scope));
  if (missing !== undefined) {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage: `A key cannot give a scope that it does not have: ${missing}.`,
    });
  }
}

/** @throws {AppError} `INVALID_REQUEST` when the instant is not in the future. */
export function parseExpiry(expiresAt: string | null | undefined, now: Date): Date | null {
  if (expiresAt === undefined || expiresAt === null) {
    return null;
  }
  const expiry = new Date(expiresAt);
  if (expiry <= now) {
    const message = "Must lie in the future.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "The expiry must lie in the future.",
      errors: [{ pointer: "/expiresAt", message }],
    });
  }
  return expiry;
}
