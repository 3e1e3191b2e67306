import { AppError, resourceNotFound } from "../errors/app-error.ts";
import type { TenantId, UserId } from "../ids/ids.ts";
import { ROLE_SCOPES, type Role, type Scope } from "./scopes.ts";

/** Who acts. The id is shown in the audit trail. */
export type Actor =
  /** A command of the operator, or whoever else may read the data folder. */
  | { type: "operator"; id: string }
  /** A signed-in person: a member of some tenants, an operator, or neither yet. */
  | UserActor
  /** A program of the operator. */
  | { type: "service_key"; id: string; scopes: readonly Scope[] }
  /** A program of a tenant, by an API key with management scopes. */
  | { type: "key"; id: string; tenantId: TenantId; scopes: readonly Scope[] }
  /** Turnpike itself: jobs and start-up. */
  | { type: "system"; id: string };

export type UserActor = {
  type: "user";
  id: UserId;
  /** Holds every scope over the whole installation. */
  isOperator: boolean;
  /** The tenants the person belongs to. Empty for somebody who has just registered. */
  roles: ReadonlyMap<TenantId, Role>;
};

/**
 * Names who shares what is bounded: the tenant whose key it is, whichever of its keys; of the operator each program by itself,
 * and each person.
 */
export function nameSender(actor: Actor): string {
  return actor.type === "key" ? actor.tenantId : `${actor.type} ${actor.id}`;
}

/** What a use case knows of its caller. */
export type CallContext = { actor: Actor; requestId: string };

function insufficientScope(scope: Scope): AppError {
  return new AppError({
    code: "INSUFFICIENT_SCOPE",
    publicMessage: `This needs the scope ${scope}.`,
    extensions: { requiredScope: scope },
  });
}

/** True for an actor who holds `scope` over the whole installation. */
export function may(actor: Actor, scope: Scope): boolean {
  switch (actor.type) {
    case "operator":
    case "system":
      return true;
    case "user":
      return actor.isOperator;
    case "service_key":
      return actor.scopes.includes(scope);
    case "key":
      return false;
  }
}

/** True for an actor who holds `scope` in `tenantId`. */
export function mayInTenant(actor: Actor, scope: Scope, tenantId: TenantId): boolean {
  if (actor.type === "key") {
    return actor.tenantId === tenantId && actor.scopes.includes(scope);
  }
  const role = actor.type === "user" ? actor.roles.get(tenantId) : undefined;
  return may(actor, scope) || (role !== undefined && ROLE_SCOPES[role].includes(scope));
}

/** True when nothing may tell the actor that `tenantId` exists. */
function isStranger(actor: Actor, tenantId: TenantId): boolean {
  switch (actor.type) {
    case "key":
      return actor.tenantId !== tenantId;
    case "user":
      return !(actor.isOperator || actor.roles.has(tenantId));
    default:
      return false;
  }
}

/**
 * Lets an actor pass who holds `scope` over the whole installation.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` otherwise.
 */
export function assertMay(actor: Actor, scope: Scope): void {
  if (!may(actor, scope)) {
    throw insufficientScope(scope);
  }
}

/**
 * Lets an actor pass who holds `scope` in `tenantId`: by a credential's scopes, or by a person's role there.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` when the actor belongs to other tenants only, just as for a tenant that does not
 *   exist; `INSUFFICIENT_SCOPE` when it is the actor's own tenant but the scope is missing.
 */
export function assertMayInTenant(actor: Actor, scope: Scope, tenantId: TenantId): void {
  if (isStranger(actor, tenantId)) {
    throw resourceNotFound("tenant");
  }
  if (!mayInTenant(actor, scope, tenantId)) {
    throw insufficientScope(scope);
  }
}

/**
 * The person who acts, for what a program cannot do: to become the operator, to accept an invitation.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` for every other actor.
 */
export function getPerson(actor: Actor): UserActor {
  if (actor.type !== "user") {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage: "Only a signed-in person may do this.",
    });
  }
  return actor;
}
