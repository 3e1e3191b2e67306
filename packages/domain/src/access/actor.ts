import { AppError, resourceNotFound } from "../errors/app-error.ts";
import type { TenantId, UserId } from "../ids/ids.ts";
import { type HeldRole, MEMBERS_OWN, NEVER_ACTED, type Scope, scopesOf } from "./scopes.ts";

/** The person or program that acts. The audit trail shows the id. */
export type Actor =
  /** A command line with access to the data folder, which is the operator's. */
  | { type: "operator"; id: string }
  /** A signed-in person: a member of some tenants, an operator, or neither yet. */
  | UserActor
  /** A program of the operator. */
  | { type: "service_key"; id: string; scopes: readonly Scope[] }
  /** A program of a tenant, by an API key with management scopes. */
  | { type: "key"; id: string; tenantId: TenantId; scopes: readonly Scope[] }
  /** A program that a member connected to a tenant; the id is that of the grant. */
  | AgentActor
  /** Turnpike itself: jobs and start-up. */
  | { type: "system"; id: string };

export type AgentActor = {
  type: "agent";
  id: string;
  tenantId: TenantId;
  /** Those that were granted and that the member's role has now. */
  scopes: readonly Scope[];
};

/** A program that acts for one tenant, and for no other. */
export type TenantProgram = Extract<Actor, { type: "key" | "agent" }>;

export function isTenantProgram(actor: Actor): actor is TenantProgram {
  return actor.type === "key" || actor.type === "agent";
}

export type UserActor = {
  type: "user";
  id: UserId;
  /** Holds every scope over the whole installation. */
  isOperator: boolean;
  /** The tenants the person belongs to. Empty for a person who has just registered. */
  roles: ReadonlyMap<TenantId, HeldRole>;
  /** True when the person acts through a command line that they allowed, not in a browser. */
  isByDevice?: true;
  /** The browser's sign-in at the built-in provider, for which this call is made. */
  signInId?: string;
  /** When the provider gave out the token of this call; undefined for a person who acts through a program. */
  vouchedAt?: Date;
  /** When the person last proved to the provider who they are, where its token says so. */
  authenticatedAt?: Date;
  /** The tenant in which an operator acts right now, with a reason that its members read. */
  acting?: ActingIn;
};

export type ActingIn = { actingId: string; tenantId: TenantId; reason: string };

/**
 * Names the sender that limits apply to: all programs of a tenant count as one, while each program of the operator and each person
 * counts separately.
 */
export function nameSender(actor: Actor): string {
  return isTenantProgram(actor) ? actor.tenantId : `${actor.type} ${actor.id}`;
}

/**
 * Names the sender of a request about one tenant: its members and its keys share what is the tenant's, while each of the
 * operator's people and programs counts separately.
 */
export function nameSenderIn(actor: Actor, tenantId: TenantId): string {
  const isMember = actor.type === "user" && !actor.isOperator && actor.roles.has(tenantId);
  return isMember ? tenantId : nameSender(actor);
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
    case "agent":
      return false;
  }
}

/**
 * True for what an operator in a browser may do in a tenant of others. They read all of it and do what is the operator's. What is
 * its members' needs a session of acting there, which in turn is no way to the tenant's money.
 */
function mayAsOperator({ acting }: UserActor, scope: Scope, tenantId: TenantId): boolean {
  return acting?.tenantId === tenantId
    ? !NEVER_ACTED.includes(scope)
    : !MEMBERS_OWN.includes(scope);
}

/** True for an actor who holds `scope` in `tenantId`. */
export function mayInTenant(actor: Actor, scope: Scope, tenantId: TenantId): boolean {
  if (isTenantProgram(actor)) {
    return actor.tenantId === tenantId && actor.scopes.includes(scope);
  }
  if (actor.type !== "user") {
    return may(actor, scope);
  }
  const role = actor.roles.get(tenantId);
  const isHeld = role !== undefined && scopesOf(role).includes(scope);
  // A role in the tenant adds what it allows, and is no way around acting with a reason.
  return isHeld || (actor.isOperator && mayAsOperator(actor, scope, tenantId));
}

/**
 * The first scope of `role` that the actor does not hold in `tenantId`; `undefined` when the actor holds them all, and so may give
 * and take that role.
 */
export function findMissingScope(
  actor: Actor,
  role: HeldRole,
  tenantId: TenantId,
): Scope | undefined {
  return scopesOf(role).find((scope) => !mayInTenant(actor, scope, tenantId));
}

/** True when the actor must not learn that `tenantId` exists. */
function isStranger(actor: Actor, tenantId: TenantId): boolean {
  switch (actor.type) {
    case "key":
    case "agent":
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
  if (mayInTenant(actor, scope, tenantId)) {
    return;
  }
  if (actor.type === "user" && actor.isOperator && !actor.roles.has(tenantId)) {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage:
        actor.acting?.tenantId === tenantId
          ? "Not while you act in this tenant: its money, its owners and its end are left to its members."
          : "Act in this tenant first: operators change what is its members' only with a reason.",
      extensions: { requiredScope: scope },
    });
  }
  throw insufficientScope(scope);
}

/**
 * Refuses what shows a new secret of a tenant to an operator who acts there: the secret would outlive the acting, and no trail would
 * name who uses it.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export function assertMayLearnSecret(actor: Actor, tenantId: TenantId): void {
  if (actor.type === "user" && actor.acting?.tenantId === tenantId) {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage: "Not while you act in this tenant: secrets are shown to its members alone.",
    });
  }
}

/**
 * The person who acts, for actions closed to programs: becoming the operator, accepting an invitation.
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
