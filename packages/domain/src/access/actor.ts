import { AppError, resourceNotFound } from "../errors/app-error.ts";
import type { TenantId } from "../ids/ids.ts";
import type { Scope } from "./scopes.ts";

/** Who acts. The id is shown in the audit trail. */
export type Actor =
  /** A person or command with the operator's rights on this installation. */
  | { type: "operator"; id: string }
  /** A program of the operator. */
  | { type: "service_key"; id: string; scopes: readonly Scope[] }
  /** A program of a tenant, by an API key with management scopes. */
  | { type: "key"; id: string; tenantId: TenantId; scopes: readonly Scope[] }
  /** Turnpike itself: jobs and start-up. */
  | { type: "system"; id: string };

/** What a use case knows of its caller. */
export type CallContext = { actor: Actor; requestId: string };

function insufficientScope(scope: Scope): AppError {
  return new AppError({
    code: "INSUFFICIENT_SCOPE",
    publicMessage: `This needs the scope ${scope}.`,
    extensions: { requiredScope: scope },
  });
}

/**
 * Lets an actor pass who holds `scope` over the whole installation.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` otherwise.
 */
export function assertMay(actor: Actor, scope: Scope): void {
  if (actor.type === "operator" || actor.type === "system") {
    return;
  }
  if (actor.type === "service_key" && actor.scopes.includes(scope)) {
    return;
  }
  throw insufficientScope(scope);
}

/**
 * Lets an actor pass who holds `scope` in `tenantId`.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` when the actor belongs to another tenant, just as for a tenant that does not
 *   exist; `INSUFFICIENT_SCOPE` when it is the actor's own tenant but the scope is missing.
 */
export function assertMayInTenant(actor: Actor, scope: Scope, tenantId: TenantId): void {
  if (actor.type !== "key") {
    assertMay(actor, scope);
    return;
  }
  if (actor.tenantId !== tenantId) {
    throw resourceNotFound("tenant");
  }
  if (!actor.scopes.includes(scope)) {
    throw insufficientScope(scope);
  }
}
