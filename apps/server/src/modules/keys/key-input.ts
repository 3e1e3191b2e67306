import { type CallContext, mayInTenant } from "@turnpike/domain/access/actor";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";

/**
 * Lets nobody give a key what they do not hold themselves in its tenant.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export function assertScopesHeld(
  { actor }: CallContext,
  tenantId: TenantId,
  scopes: readonly string[],
): void {
  const missing = scopes.find((name) => {
    const scope = SCOPES.find((known) => known === name);
    return scope === undefined || !mayInTenant(actor, scope, tenantId);
  });
  if (missing !== undefined) {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage: `Nobody can give a key a scope that they do not have: ${missing}.`,
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
